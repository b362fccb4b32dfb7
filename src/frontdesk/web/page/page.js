// The page of one tab: the token, the keys and what a browser does besides painting.
// The terminal itself is textual.js of textual-serve, which makes one in each element of the class textual-terminal
// when its window.onload is called, and talks to the websocket that the element names (server.py).
"use strict";

const WORDS = {
  1000: "The inbox is closed. Press Enter to open it again.",
  4001: "Too many tabs are open. Close one, then press Enter.",
  lost: "The connection to frontdesk is lost. Press Enter to try again; if that fails, run frontdesk web again.",
  clipboard: "The browser didn't let this page copy. Allow the clipboard for this address, and copy again.",
  address: "Open the whole address that frontdesk web has printed.",
};

let isOpen = false;
let isOver = false;

function showNotice(words) {
  const notice = document.getElementById("notice");
  notice.textContent = words;
  notice.hidden = false;
}

// A click on a row must not open an address that a stranger wrote in it, as xterm.js would: the program's own key
// opens links, and asks before.
const openWindow = window.open.bind(window);
window.open = () => null;

function notify(text) {
  if (!("Notification" in window)) return;
  if (Notification.permission === "granted") {
    new Notification("frontdesk", { body: text });
  } else if (Notification.permission === "default") {
    // Browsers let a page ask only while the person does something.
    addEventListener("keydown", () => Notification.requestPermission(), { once: true });
  }
}

const ACTIONS = {
  title: (text) => { document.title = text; },
  notify,
  link: (url) => { openWindow(url, "_blank", "noopener,noreferrer"); },
};

function ended(code) {
  const wasOpen = isOpen;
  isOpen = false;
  isOver = true;
  showNotice(WORDS[code] ?? (wasOpen ? WORDS.lost : WORDS.address));
}

// textual.js makes its websocket by this name.
const token = takeToken();
window.WebSocket = class extends WebSocket {
  constructor(url) {
    super(url, ["frontdesk", token]);
    this.addEventListener("open", () => {
      isOpen = true;
      focusTerminal();
    });
    this.addEventListener("close", (event) => ended(event.code));
    this.addEventListener("message", (event) => {
      if (typeof event.data !== "string") return;
      const [name, value] = JSON.parse(event.data);
      if (Object.hasOwn(ACTIONS, name)) ACTIONS[name](value);
    });
  }
};

// Before the websocket is open, textual.js fails to tell it of the focus.
function focusTerminal() {
  if (isOpen) document.querySelector(".xterm-helper-textarea")?.focus();
}

async function start() {
  if (token === null) {
    showNotice(WORDS.address);
    return;
  }
  const terminal = document.getElementById("terminal");
  terminal.dataset.sessionWebsocketUrl = `${location.protocol.replace("http", "ws")}//${location.host}/screen`;
  // Cells are measured once, so the font has to be there before.
  await document.fonts.load("16px 'Roboto Mono'").catch(() => {});
  const script = document.createElement("script");
  script.src = "/textual.js";
  script.onload = () => window.onload();
  document.head.append(script);
}

addEventListener("keydown", (event) => {
  if (isOver) {
    if (event.key === "Enter") location.reload();
    event.stopImmediatePropagation();
    return;
  }
  document.getElementById("notice").hidden = true;
  if (event.key === "v" && event.ctrlKey && !event.altKey && !event.metaKey) {
    event.stopImmediatePropagation(); // the browser pastes
  }
}, true);
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name === "NotAllowedError") showNotice(WORDS.clipboard);
});
addEventListener("focus", focusTerminal);
addEventListener("beforeunload", (event) => {
  // ctrl+w deletes a word in a terminal and closes a tab of a browser.
  if (isOpen) event.preventDefault();
});
addEventListener("load", start);
