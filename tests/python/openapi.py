"""Tests running servers by the documents that they serve of themselves.

Each document has to be valid OpenAPI 3.1. Then schemathesis sends what it allows and what it does not,
and holds every answer to it, with all checks there are. One server has tools of many kinds, the other
is the example application.

    BUILT=target/debug python openapi.py FOLDER

`SEED` repeats what is generated, as far as it does not follow from answers; `EXAMPLES` says how many
requests are made of each kind. With `URL` a server is tested that runs already, and admits all callers.
"""

import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = pathlib.Path(__file__).parent
# A run takes some minutes; one that hangs ends, and fails.
LONGEST = 1800


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    if url := os.environ.get("URL"):
        return proven(url, secrets.token_hex(24), folder)
    built = pathlib.Path(os.environ["BUILT"])
    # Both are tested, at the same time, whatever the other one shows.
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(run, built, folder / run.__name__) for run in (serve, heritage_server)]
    return max(run.result() for run in runs)


def serve(built: pathlib.Path, folder: pathlib.Path) -> int:
    folder.mkdir()
    key = secrets.token_hex(24)
    with started([built / "serve", folder], folder, SERVE_KEY=key) as server:
        return proven(server.url, key, folder)


def heritage_server(built: pathlib.Path, folder: pathlib.Path) -> int:
    folder.mkdir()
    program, keys = built / "heritage-server", folder / "keys.txt"
    made = subprocess.run([program, "--new-key", "tester"], check=True, capture_output=True, text=True)
    key, line = re.search(r"^(tsk_\S+)\n.*^(sha256:\S+) ", made.stdout, re.MULTILINE | re.DOTALL).groups()
    keys.write_text(f"{line} tester * tools internal approvals traces replay ledger outcomes evidence evidence_contents budgets metrics\n")
    command = [
        program, "--listen", "127.0.0.1:0", "--data-dir", folder / "heritage", "--api-keys", keys,
        "--ask-first", "--calls-per-minute", "1000000", "--invalid-credentials-per-minute", "1000",
    ]
    with started(command, folder) as server:
        return proven(server.url, key, folder)


class started:
    """A server, until the block ends; it says where it listens among the first that it says."""

    def __init__(self, command: list, folder: pathlib.Path, **environment: str) -> None:
        self.said = folder / "said.txt"
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                command, env={**os.environ, **environment}, stdout=said, stderr=subprocess.STDOUT
            )

    def __enter__(self):
        deadline = time.monotonic() + 30
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/api$", self.said.read_text(), re.MULTILINE)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                sys.exit(f"openapi: the server does not listen:\n{self.said.read_text()}")
            time.sleep(0.05)
        self.url = found[0]
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


def proven(url: str, key: str, folder: pathlib.Path) -> int:
    valid = validate(url, key)
    code, said = schemathesis(url, key, folder)
    print(valid, said, sep="\n", flush=True)
    return code


def validate(url: str, key: str) -> str:
    request = urllib.request.Request(f"{url}/openapi.json", headers={"X-Internal-API-Key": key})
    with urllib.request.urlopen(request) as answer:
        document = json.load(answer)
    OpenAPIV31SpecValidator(document).validate()
    return f"openapi: {len(document['paths'])} paths, {len(document['components']['schemas'])} schemas, valid"


def schemathesis(url: str, key: str, folder: pathlib.Path) -> tuple[int, str]:
    seed = os.environ.get("SEED") or str(secrets.randbelow(2**32))
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json",
        "--checks", "all",
        "--mode", "all",
        "--phases", "examples,coverage,fuzzing,stateful",
        "--max-examples", os.environ.get("EXAMPLES", "10"),
        "--seed", seed,
        "--header", f"X-Internal-API-Key: {key}",
        "--continue-on-failure",
        "--no-color",
    ]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "agreeing", "PYTHONPATH": str(HERE / "hooks")}
    run = subprocess.run(
        command, cwd=folder, env=environment, check=False, timeout=LONGEST,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    return run.returncode, f"openapi: schemathesis with SEED={seed}\n{run.stdout}"


if __name__ == "__main__":
    sys.exit(main())
