"use strict";
// A new pool for votes: reads items from what was pasted or from a file, one a line or as a table, and makes the pool.

const LONGEST_ID = 200;   // a longer text has its number for an id
const MARKS = [",", ";", "\t"];

// Fields of a table as spreadsheets write it: a field in quotes may hold marks and line ends, and "" for a quote.
function table(text, mark) {
  const rows = [[]];
  let field = "", quoted = false;
  const end = () => { rows.at(-1).push(field.trim()); field = ""; };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') { field += '"'; at++; }
      else quoted = false;
    } else if (letter === '"' && field.trim() === "") { field = ""; quoted = true; }
    else if (letter === mark) end();
    else if (letter === "\n") { end(); rows.push([]); }
    else field += letter;
  }
  end();
  return rows.filter((row) => row.some(Boolean));
}

function head(line) {
  for (const mark of MARKS) {
    const names = table(line, mark)[0]?.map((name) => name.toLowerCase()) ?? [];
    if (names.includes("text") && (names.length > 1 || mark === ",")) return { mark, names };
  }
  return null;
}

function read(text) {
  const clean = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").trim();
  const first = head(clean.split("\n", 1)[0]);
  if (!first) {
    const lines = new Set(clean.split("\n").map((line) => line.trim()).filter(Boolean));
    return [...lines].map((line, place) => (line.length > LONGEST_ID ? { id: `item ${place + 1}`, text: line } : { text: line }));
  }
  const at = first.names.indexOf("text"), id = first.names.indexOf("id");
  const rows = table(clean, first.mark).slice(1).filter((row) => row[at]);
  return rows.map((row, place) => {
    const own = id < 0 ? "" : row[id];
    return own ? { id: own, text: row[at] } : row[at].length > LONGEST_ID ? { id: `item ${place + 1}`, text: row[at] } : { text: row[at] };
  });
}

async function make(url, values) {
  const csrf = document.querySelector("meta[name=csrf]")?.content;
  const headers = { accept: "application/json", "content-type": "application/json", ...(csrf && { "x-csrf-token": csrf }) };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(values) });
  if (answer.ok) {
    await answer.text();   // whole, before the page is left: what is left half-way is told of as a failure
    return `${answer.headers.get("location").replace("/api/v1", "")}/vote`;
  }
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.detail ?? said.title ?? `The server answered ${answer.status}.`);
}

const form = document.getElementById("new-pool");
if (form) {
  const items = form.elements.items, count = document.getElementById("pool-count"), problem = form.querySelector(".problem");
  const tell = () => {
    const found = read(items.value).length;
    count.textContent = found ? `${found.toLocaleString()} ${found === 1 ? "item" : "items"}` : "";
  };
  items.addEventListener("input", tell);
  form.elements.file.addEventListener("change", async () => {
    const [file] = form.elements.file.files;
    if (!file) return;
    items.value = await file.text();
    tell();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const found = read(items.value), top = Number(form.elements.top.value);
    problem.textContent = found.length < 2 ? "Two items or more can be compared." : "";
    if (problem.textContent) return;
    const values = { name: form.elements.name.value, criteria: form.elements.criteria.value, items: found };
    if (top) values.top = top;
    event.submitter.disabled = true;
    try {
      location.assign(await make(form.dataset.make, values));
    } catch (error) {
      problem.textContent = error instanceof TypeError ? "The server cannot be reached; try again." : error.message;
    } finally {
      event.submitter.disabled = false;
    }
  });
  tell();
}
