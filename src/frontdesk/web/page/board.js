// The page of the wallboard: asks for the numbers every 15 seconds, and says since when there are none.
// What changes is changed in place, so a screen reader keeps its place; only the state is announced.
"use strict";

const EVERY_MS = 15000;
const token = takeToken();

let answered = "";
let answeredAt = 0;
let isAsking = false;

function showState(kind, words) {
  document.body.dataset.state = kind;
  setText("state", words);
}

function setText(id, words) {
  const element = document.getElementById(id);
  if (element.textContent !== words) element.textContent = words;
}

function showNone(why) {
  showState("gone", answered ? `No new numbers since ${answered}: ${why}` : `No numbers yet: ${why}`);
}

function patch(old, fresh) {
  const isSame = old.nodeName === fresh.nodeName && old.childNodes.length === fresh.childNodes.length;
  if (!isSame || (old.id ?? "") !== (fresh.id ?? "")) {
    old.replaceWith(fresh);
  } else if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else {
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const others = [...fresh.childNodes];
    [...old.childNodes].forEach((each, place) => patch(each, others[place]));
  }
}

function paint(html) {
  const numbers = new DOMParser().parseFromString(html, "text/html").getElementById("numbers");
  const { state, words, name } = numbers.dataset;
  ({ answered } = numbers.dataset);
  answeredAt = Date.now();
  patch(document.getElementById("numbers"), numbers);
  setText("name", name);
  setText("answered", `last check ${answered}`);
  showState(state, words);
}

async function ask() {
  const headers = { Authorization: `Bearer ${token}` };
  const reply = await fetch("/numbers", { headers, signal: AbortSignal.timeout(EVERY_MS) });
  if (reply.ok) {
    paint(await reply.text());
  } else if (reply.status === 403) {
    showNone("open the whole address from the latest run of frontdesk web.");
  } else {
    showNone("frontdesk can't read its store.");
  }
}

async function refresh() {
  if (isAsking) return;
  isAsking = true;
  // After a sleep the numbers may be hours old, whatever the answer will be.
  if (answeredAt && Date.now() - answeredAt > 3 * EVERY_MS) showNone("trying again.");
  await ask().catch(() => showNone("frontdesk doesn't answer."));
  isAsking = false;
}

if (token === null) {
  showNone("open the whole address that frontdesk web printed.");
} else {
  refresh();
  setInterval(refresh, EVERY_MS);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
}
