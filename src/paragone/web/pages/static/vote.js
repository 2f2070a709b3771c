"use strict";
// The ballot: asks for a pair, shows both texts as text, sends the answer, and shows the pair that comes back with it.

const READ = 350;        // milliseconds for which a new pair takes no answer: nobody has read it, the answer was for the one before
const NOTICE = 4000;     // milliseconds for which it is shown that an answer was not taken
const AGAIN = 30000;     // how old the figures of a voter's reliability may be; where there are none yet, a sixth of that
const NAME = "paragone.voter", KEYS = "paragone.keys";
const WORDS = { first: "Left", second: "Right", tie: "Tie", skip: "Skipped" };
const get = (id) => document.getElementById(id);

async function answered(url, values) {
  const csrf = document.querySelector("meta[name=csrf]")?.content;
  const headers = { accept: "application/json" };
  if (values) headers["content-type"] = "application/json";
  if (values && csrf) headers["x-csrf-token"] = csrf;
  const answer = await fetch(url, { method: values ? "POST" : "GET", headers, body: values && JSON.stringify(values), cache: "no-store" });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? problem.title ?? `The server answered ${answer.status}.`), { status: answer.status });
}

async function ask(url, values) {
  return (await answered(url, values)).json();
}

function remembered(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* a browser that keeps nothing: the name is asked for again */ }
}

// The ballot

const root = get("vote");
let voter = "", pair = null, last = null, paintedAt = Infinity, fresh = 0, looked = 0, hasReliability = false, notice = 0;
let busy = "", undoing = false;   // what is on its way: "pair", "vote" or "undo"; and whether that vote is to be taken back

function say(words) {
  get("said").textContent = words;
}

function problem(words) {
  get("problem").textContent = words;
}

// An answer that is not taken is never dropped in silence. It is not kept for later either: it would count for a pair
// that was not yet on the screen when it was given.
function refuse(words) {
  const line = get("refused");
  line.textContent = `Not counted: ${words}`;
  line.getAnimations().forEach((animation) => { animation.currentTime = 0; });
  clearTimeout(notice);
  notice = setTimeout(accept, NOTICE);
}

function accept() {
  get("refused").textContent = "";
}

// A pair takes answers once it was on the screen for a moment; in a page that nobody looks at, it is not painted.
function appear() {
  paintedAt = Infinity;
  clearTimeout(fresh);
  get("pair").dataset.fresh = "";
  requestAnimationFrame(() => requestAnimationFrame((now) => {
    paintedAt = now;
    fresh = setTimeout(() => { delete get("pair").dataset.fresh; }, READ);
  }));
}

function show(ballot) {
  pair = ballot.pair;
  last = ballot.last;
  appear();
  get("who").hidden = true;
  get("undo").disabled = last === null;
  get("undo-last").hidden = last === null;
  get("pair").hidden = pair === null;
  get("done").hidden = pair !== null;
  get("as").hidden = Boolean(root.dataset.voter);
  get("name").textContent = voter;
  if (pair) {
    for (const side of ["left", "right"]) {
      get(side).classList.remove("rich");
      get(side).textContent = pair[side];
      get(side).scrollTop = 0;
    }
    if (root.dataset.shown) showRich(pair);
  }
  tell(ballot.progress);
  get(pair ? "pair" : "done").focus({ preventScroll: true });
  if (pair && get("pair").getBoundingClientRect().top < 0) get("pair").scrollIntoView({ block: "start" });
}

// Where the texts are Markdown the server sends them as HTML, which it has sanitised; until then, and if that fails, they stand there as they are.
async function showRich(asked) {
  const html = await ask(root.dataset.shown, { offer: asked.offer, voter: root.dataset.voter ? null : voter }).catch(() => null);
  if (html === null || pair !== asked) return;
  for (const side of ["left", "right"]) {
    get(side).classList.add("rich");
    get(side).innerHTML = html[side];
  }
}

function tile(name, value) {
  const box = document.createElement("div"), what = document.createElement("dt"), number = document.createElement("dd");
  what.textContent = name;
  number.textContent = value;
  box.append(what, number);
  return box;
}

const share = (value) => `${Math.round(value * 100)}%`;

function tell(progress) {
  get("progress").hidden = false;
  const tiles = [tile("Your votes", progress.yours.toLocaleString())];
  if (progress.skipped) tiles.push(tile("Skipped by you", progress.skipped.toLocaleString()));
  if (progress.answers !== null) tiles.push(tile("Answers of all", progress.answers.toLocaleString()));
  if (progress.tau !== null) tiles.push(tile("Expected agreement with the true order", progress.tau.toFixed(2)));
  if (progress.recall !== null && progress.top > 1) tiles.push(tile(`Of the true top ${progress.top}, found`, share(progress.recall)));
  if (progress.p_best !== null) tiles.push(tile("The first is the best", share(progress.p_best)));
  get("tiles").replaceChildren(...tiles);
  get("sure").textContent = sure(progress);
  get("settled").hidden = !progress.reached;
  const all = progress.reached ? progress.answers : progress.more === null ? 0 : progress.answers + progress.more;
  get("way").hidden = !all;
  get("way").value = all ? progress.answers / all : 0;
}

function votes(number) {
  return `${number.toLocaleString()} ${number === 1 ? "vote" : "votes"}`;
}

function sure(progress) {
  if (progress.pending) return "The first forecast is being made. Until it is there, each pair is drawn from neighbours by the running Elo.";
  if (progress.answers === null) return "This pool is too large for a forecast while you vote: each pair is drawn from neighbours by the running Elo.";
  if (progress.tau === null) return "How sure the order is can be said once every item was compared with two others.";
  if (progress.reached) return "It is settled as well as was asked for; you may stop here. More votes make it surer.";
  if (progress.more === null) return "Many more votes are needed before it is settled.";
  return `About ${progress.more.toLocaleString()} more ${progress.more === 1 ? "vote" : "votes"}, of all together, until it is settled as well as was asked for (${share(progress.confidence)}).`;
}

async function within(what, act) {
  if (busy) return;
  busy = what;
  root.setAttribute("aria-busy", "true");
  problem("");
  try {
    await act();
  } catch (error) {
    problem(error instanceof TypeError ? "The server cannot be reached; your vote is not lost, answer again." : error.message);
    if (error.status === 409 || error.status === 422) await next().catch(() => undefined);
    undoing = false;
  } finally {
    busy = "";
    root.removeAttribute("aria-busy");
  }
  if (undoing) undo();
}

async function next() {
  const query = root.dataset.voter ? "" : `?voter=${encodeURIComponent(voter)}`;
  show(await ask(`${root.dataset.votes}/next${query}`));
}

function named(values) {
  return root.dataset.voter ? values : { ...values, voter };
}

function vote(choice, pressedAt, isSecondClick = false) {
  if (busy) return refuse(`the ${busy === "vote" ? "answer before" : "next pair"} is still on its way. Answer when the next pair is here.`);
  if (!pair) return;
  if (isSecondClick) return refuse("that was a double click, which counts once.");
  if (pressedAt - paintedAt < READ) return refuse("this pair has only just come. Look at it, then answer.");
  accept();
  within("vote", async () => {
    const seconds = Math.min((pressedAt - paintedAt) / 1000, 1e6);
    const voted = await ask(root.dataset.votes, named({ offer: pair.offer, choice, seconds: Math.round(seconds * 10) / 10 }));
    say(`${WORDS[choice]}. ${voted.pair ? `Next pair. ${votes(voted.progress.yours)} so far.` : "That was the last pair."}`);
    show(voted);
    reliability();
  });
}

function undo() {
  undoing = busy === "vote";   // then it is this vote that is taken back, once it is there
  if (busy || last === null) return;
  accept();
  within("undo", async () => {
    const undone = await ask(`${root.dataset.votes}/undo`, named({ vote: last }));
    say("Taken back. Here is the pair again.");
    show(undone);
  });
}

async function reliability() {
  if (looked && performance.now() - looked < (hasReliability ? AGAIN : AGAIN / 6)) return;
  looked = performance.now();
  const found = await ask(root.dataset.voters).catch(() => null);
  const yours = found?.voters[voter], box = get("reliable");
  hasReliability = Boolean(yours);
  if (!yours) { box.textContent = found?.why || "This can be said after some more votes."; return; }
  const words = [];
  if (yours.agreement === null) words.push("How far you agree with others is known once others have voted too.");
  else words.push(`You agree with the others in ${range(yours.agreement, yours.agreement_low, yours.agreement_high)} of your decided votes.`);
  if (yours.first_share !== null) words.push(`You chose the left one in ${share(yours.first_share)}${leans(yours)}.`);
  box.textContent = words.join(" ");
  if (found.pending) looked = 0;
}

function range(value, low, high) {
  return low === null || high === null ? share(value) : `${share(value)} (${share(low)} to ${share(high)})`;
}

function leans(yours) {
  if (yours.position_low === null || yours.position_high === null) return "";
  if (yours.position_low > 0) return ", and so seem to favour the left";
  if (yours.position_high < 0) return ", and so seem to favour the right";
  return "; no side is favoured that chance would not explain";
}

function begin(name) {
  voter = name;
  looked = 0;
  get("who").hidden = true;
  within("pair", async () => { await next(); reliability(); }).then(() => { if (!pair && get("done").hidden) askName(); });
}

function askName() {
  for (const id of ["pair", "done", "progress", "as"]) get(id).hidden = true;
  pair = null;
  if (root.dataset.voter) return;
  get("who").hidden = false;
  get("voter").value = voter;
  get("voter").focus();
}

const BY_KEY = { arrowleft: "first", l: "first", arrowright: "second", r: "second", t: "tie", "=": "tie", s: "skip" };

function pressed(event) {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName ?? "") || document.querySelector("dialog[open]")) return;
  if (!get("keys").checked) return;
  const key = event.key.toLowerCase();
  if (key === "u") undo();
  else if (key in BY_KEY && (pair || busy)) vote(BY_KEY[key], event.timeStamp);
  else return;
  event.preventDefault();
}

if (root) {
  get("keys").checked = remembered(KEYS) !== "off";
  get("keys").addEventListener("change", (event) => remember(KEYS, event.target.checked ? "on" : "off"));
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-choice]");
    if (button) vote(button.dataset.choice, event.timeStamp, event.detail > 1);
  });
  get("undo").addEventListener("click", undo);
  get("undo-last").addEventListener("click", undo);
  get("other").addEventListener("click", askName);
  get("who").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = get("voter").value.trim();
    remember(NAME, name);
    if (name) begin(name);
  });
  document.addEventListener("keydown", pressed);
  const name = root.dataset.voter || remembered(NAME);
  if (name) begin(name);
  else askName();
}
