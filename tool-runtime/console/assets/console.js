// Follows the calls that wait while a page is open. Every page works without it.
"use strict";

const waiting = document.getElementById("waiting");
const live = document.getElementById("live");
const gone = document.getElementById("gone");

// A connection that ends by itself is made again; only a longer silence is a lost one.
const SILENCE = 10_000;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 60_000;

let source;
let timer;
let delay = FIRST_DELAY;
let renewal = Promise.resolve();

// Says whether changes arrive: `connected` or `lost`.
function say(state) {
  if (live.className !== `live ${state}`) {
    live.textContent = live.dataset[state];
    live.className = `live ${state}`;
  }
  live.hidden = false;
}

function stop() {
  source?.close();
  source = undefined;
  clearTimeout(timer);
}

function tryLater() {
  stop();
  say("lost");
  timer = setTimeout(check, delay);
  delay = Math.min(2 * delay, LONGEST_DELAY);
}

// Loads the page again without showing it; a session that has ended leads to the form to sign in.
async function load() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.redirected) {
    location.reload();
  }
  return answer;
}

async function check() {
  try {
    await load();
    follow();
  } catch {
    tryLater();
  }
}

// Puts the list of the server in the place of the one that is shown.
async function renew() {
  try {
    const answer = await load();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const renewed = page.getElementById("waiting");
    if (!answer.ok || !renewed) {
      throw new Error(`the list is answered with ${answer.status}`);
    }
    const focused = waiting.contains(document.activeElement) && document.activeElement.getAttribute("href");
    waiting.replaceChildren(...renewed.childNodes);
    waiting.dataset.state = renewed.dataset.state;
    if (focused) {
      const same = [...waiting.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused);
      (same ?? document.getElementById("contents")).focus();
    }
  } catch {
    tryLater();
  }
}

// Lets nobody decide about a call that does not wait any more; what was written stays.
function close() {
  stop();
  live.hidden = true;
  for (const control of waiting.querySelectorAll("button, input, textarea, select")) {
    control.disabled = true;
  }
  gone.hidden = false;
}

function follow() {
  stop();
  const events = new EventSource(waiting.dataset.changes);
  source = events;
  events.addEventListener("waiting", ({ data }) => {
    clearTimeout(timer);
    delay = FIRST_DELAY;
    say("connected");
    const { tickets, next } = JSON.parse(data);
    if ([...tickets, next ?? ""].join(" ") === waiting.dataset.state) {
      return;
    }
    if (gone) {
      close();
    } else {
      renewal = renewal.then(renew);
    }
  });
  events.addEventListener("error", () => {
    if (events !== source) {
      return;
    }
    if (events.readyState === EventSource.CLOSED) {
      // The answer was no stream.
      tryLater();
    } else {
      clearTimeout(timer);
      timer = setTimeout(() => say("lost"), SILENCE);
    }
  });
}

if (waiting) {
  follow();
  addEventListener("offline", () => {
    stop();
    say("lost");
  });
  addEventListener("online", check);
  // A browser has few connections to a server.
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : follow()));
  // The person decides: it is no news to them.
  waiting.addEventListener("submit", stop);
}
