"use strict";
// Every page is whole without this. With it, what is marked data-live is fetched anew when the ledger has moved on, dialogs
// open, and forms marked data-post are sent as JSON.

const SOON = 400;       // milliseconds from an event to the page being fetched, so that many events are one
const PENDING = 3000;   // after which a page that says it is not done is asked for again
const FLASHES = ".tiles dd, tbody tr, .card, .flight li";   // what is marked for a moment where it says something new
const body = document.body;
const beat = document.getElementById("beat");

function say(words, state) {
  if (!beat || beat.textContent === words) return;
  beat.textContent = words;
  beat.className = `beat ${state}`;
}

// Replacing what moved

function keyOf(details) {
  return details.dataset.key ?? details.querySelector("summary")?.textContent ?? "";
}

function focusIn(old) {
  const active = document.activeElement;
  if (!active || !old.contains(active) || active === old) return null;
  if (active.id) return { id: active.id };
  if (active.href) return { href: active.getAttribute("href") };
  const all = [...old.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]")];
  return { place: all.indexOf(active) };
}

function refocus(fresh, was) {
  if (!was) return;
  const found = was.id ? fresh.querySelector(`#${CSS.escape(was.id)}`)
    : was.href ? fresh.querySelector(`[href="${CSS.escape(was.href)}"]`)
    : fresh.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]")[was.place];
  found?.focus({ preventScroll: true });
}

// Somebody types in it, marks text in it, or answers a dialog of it.
function isBusy(old) {
  const active = document.activeElement;
  if (active && old.contains(active) && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName)) return true;
  if (old.querySelector("dialog[open]")) return true;
  const marked = getSelection();
  return Boolean(marked && !marked.isCollapsed && marked.containsNode(old, true));
}

const fetched = new WeakMap();   // what each element was when it came, before scripts touched it
for (const part of document.querySelectorAll("[data-live]")) fetched.set(part, part.outerHTML);

// Times are in UTC in the page, and on the clock of whoever reads it here; which clock that is stands there on hover.
const CLOCK = { day: "2-digit", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };

function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = `${at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" })} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
    time.textContent = at.toLocaleString(undefined, CLOCK);
  }
  for (const mark of part.querySelectorAll(".utc")) mark.remove();
}

localise(document);

function swap(old, next) {
  const text = next.outerHTML;
  if (fetched.get(old) === text) return true;
  if (isBusy(old)) return false;
  const open = new Set([...old.querySelectorAll("details[open]")].map(keyOf));
  const scrolled = [...old.querySelectorAll(".wide")].map((box) => box.scrollLeft);
  const was = focusIn(old);
  const before = new Set([...old.querySelectorAll(FLASHES)].map((shown) => shown.textContent));
  const fresh = document.importNode(next, true);
  localise(fresh);
  for (const details of fresh.querySelectorAll("details")) if (open.has(keyOf(details))) details.open = true;
  old.replaceWith(fresh);
  fetched.set(fresh, text);
  fresh.querySelectorAll(".wide").forEach((box, place) => { box.scrollLeft = scrolled[place] ?? 0; });
  refocus(fresh, was);
  for (const shown of fresh.querySelectorAll(FLASHES)) if (!before.has(shown.textContent)) shown.classList.add("moved");
  return true;
}

// A figure that was not there when the page came has no place in it, and perhaps there is nothing that draws it yet.
function lacks(page) {
  return [...page.querySelectorAll(".chart[data-figure]")].some((chart) => !document.getElementById(chart.id));
}

function take(page) {
  if (lacks(page) && !isBusy(body)) return reload();
  let all = true;
  for (const old of document.querySelectorAll("[data-live]")) {
    const next = old.id && page.getElementById(old.id);
    if (next) all = swap(old, next) && all;
  }
  const told = document.getElementById("figures"), now = page.getElementById("figures");
  if (now && !told) {   // the first charts: what draws them is loaded with the page
    if (isBusy(body)) return false;
    return reload();
  }
  if (told && now && told.textContent !== now.textContent) {
    told.textContent = now.textContent;
    document.dispatchEvent(new CustomEvent("paragone:figures"));
  }
  document.dispatchEvent(new CustomEvent("paragone:moved"));
  return all;
}

let timer = 0, busy = false, again = false, took = 0, leaving = false;

function reload() {
  leaving = true;   // nothing more is fetched for a page that goes
  location.reload();
  return true;
}

export function refresh(after = SOON) {
  again = true;
  if (busy || timer || leaving) return;
  timer = setTimeout(run, Math.max(after, 3 * took));   // a page that takes long is asked for less often
}

async function run() {
  timer = 0;
  if (document.hidden) return;   // asked for once it is looked at
  busy = true;
  again = false;
  const began = performance.now();
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" });
    if (answer.ok && !answer.redirected) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!take(page)) again = true;
      if (page.querySelector("[data-pending]")) setTimeout(refresh, PENDING);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;   // the network: the event source tells of it, and tries again
  } finally {
    took = Math.min(performance.now() - began, 10000);
    busy = false;
    if (again) { again = false; refresh(1500); }
  }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden && again) refresh(); });

// Events

function listen(url) {
  const source = new EventSource(url);
  let lost = false;
  source.addEventListener("open", () => {
    say("live", "on");
    if (lost) refresh();
    lost = false;
  });
  source.addEventListener("moved", () => refresh());
  source.addEventListener("error", () => {
    lost = true;
    if (source.readyState === EventSource.CLOSED) say("not live", "off");
    else say("reconnecting", "off");
  });
  addEventListener("pagehide", () => source.close());
}
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
if (body.dataset.events && "EventSource" in window) listen(body.dataset.events);
if (document.querySelector("[data-pending]")) setTimeout(refresh, PENDING);

// Dialogs and forms

export async function send(url, method, values) {
  const csrf = document.querySelector("meta[name=csrf]")?.content;
  const headers = { accept: "application/json", "content-type": "application/json" };
  if (csrf) headers["x-csrf-token"] = csrf;
  const answer = await fetch(url, { method, headers, body: JSON.stringify(values) });
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.detail ?? said.title ?? `The server answered ${answer.status}.`);
}

async function submitted(form, submitter) {
  const problem = form.querySelector(".problem"), values = {};
  for (const [name, value] of new FormData(form, submitter)) if (value !== "") values[name] = value;
  if (submitter) submitter.disabled = true;
  if (problem) problem.textContent = "";
  try {
    await send(form.dataset.post, form.dataset.method ?? "POST", values);
    form.closest("dialog")?.close();
    refresh(0);
  } catch (error) {
    if (problem) problem.textContent = error.message;
    else say(error.message, "off");
  } finally {
    if (submitter) submitter.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.post || event.submitter?.formMethod === "dialog" || event.submitter?.value === "cancel") return;
  event.preventDefault();
  submitted(form, event.submitter);
});
document.addEventListener("click", (event) => {
  const opener = event.target.closest?.("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
});
