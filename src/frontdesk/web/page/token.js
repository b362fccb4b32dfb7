// The token of an address that frontdesk web has printed, for the script of its page.
"use strict";

const TOKEN = "frontdesk-token";

// The address keeps the token out of requests, and loses it here. It is kept for this tab and this port alone.
function takeToken() {
  if (location.hash.length > 1) {
    sessionStorage.setItem(TOKEN, location.hash.slice(1));
    history.replaceState(null, "", "/");
  }
  const token = sessionStorage.getItem(TOKEN) ?? "";
  return /^[\w-]+$/.test(token) ? token : null;
}

addEventListener("hashchange", () => location.reload()); // another address of frontdesk web, opened in this tab
