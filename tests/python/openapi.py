"""Tests a running server by the document that it serves of itself.

The document has to be valid OpenAPI 3.1. Then schemathesis sends what it allows and what it does not,
and holds every answer to it, with all checks there are.

    SERVE=target/debug/serve python openapi.py FOLDER

`SEED` repeats a run, `EXAMPLES` says how many requests are made of each kind. With `URL` a server is
tested that runs already, and admits everybody.
"""

import json
import os
import pathlib
import secrets
import subprocess
import sys
import urllib.request

from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = pathlib.Path(__file__).parent
KEY = secrets.token_hex(24)


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    if url := os.environ.get("URL"):
        validate(url)
        return schemathesis(url, folder)
    server = subprocess.Popen(
        [os.environ["SERVE"], folder],
        env={**os.environ, "SERVE_KEY": KEY},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().strip()
        if not url:
            return 1
        validate(url)
        return schemathesis(url, folder)
    finally:
        server.terminate()
        server.wait(timeout=30)


def validate(url: str) -> None:
    request = urllib.request.Request(f"{url}/openapi.json", headers={"X-Internal-API-Key": KEY})
    with urllib.request.urlopen(request) as answer:
        document = json.load(answer)
    OpenAPIV31SpecValidator(document).validate()
    print(f"openapi: {len(document['paths'])} paths, {len(document['components']['schemas'])} schemas, valid")


def schemathesis(url: str, folder: pathlib.Path) -> int:
    seed = os.environ.get("SEED") or str(secrets.randbelow(2**32))
    print(f"openapi: schemathesis with SEED={seed}", flush=True)
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json",
        "--checks", "all",
        "--mode", "all",
        "--phases", "examples,coverage,fuzzing,stateful",
        "--max-examples", os.environ.get("EXAMPLES", "10"),
        "--seed", seed,
        "--header", f"X-Internal-API-Key: {KEY}",
        "--continue-on-failure",
        "--no-color",
    ]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "agreeing", "PYTHONPATH": str(HERE / "hooks")}
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
