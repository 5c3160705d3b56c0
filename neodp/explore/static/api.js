// What the page asks: the server, or what the page itself holds where it was written as one file.

const held = JSON.parse(document.getElementById("held")?.textContent ?? "null");

// Whether there is a server that can compute something new.
export const live = held === null;

export class Refused extends Error {
  constructor(problem) {
    super(problem.message);
    this.hint = problem.hint;
    this.kind = problem.kind;
  }
}

export async function ask(name, given = {}) {
  if (!live) return found(held[name]);
  const query = new URLSearchParams(given).toString();
  return received(await sent(`api/${name}${query ? `?${query}` : ""}`, {}));
}

// Keys of datasets go here: in the body, not in an address.
export async function post(name, body) {
  if (!live) return fromFile(name, body);
  const headers = { "Content-Type": "application/json" };
  return received(await sent(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function sent(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Refused({ kind: "gone", message: "The explorer does not answer.", hint: "Start it again with 'neodp explore', and open the address that it shows." });
  }
}

async function received(response) {
  const body = await response.json().catch(() => null);
  if (body === null || body.error) {
    throw new Refused(body?.error ?? { kind: "gone", message: `The explorer answered with ${response.status}.`, hint: "Open the address that 'neodp explore' shows." });
  }
  return body;
}

function fromFile(name, body) {
  if (name === "dataset") return found(Object.hasOwn(held.datasets, body.key) ? held.datasets[body.key] : undefined, body.key);
  if (name === "query") return found(held.tables[body.query]);
  if (name === "poll") return found(held.poll);
  return found(undefined);
}

function found(value, key) {
  if (value !== undefined) return value;
  const message = key === undefined ? "This is not in the file." : `The path that decides ${JSON.stringify(key)} is not in the file.`;
  throw new Refused({ kind: "held", message, hint: "Run 'neodp explore' to ask for it." });
}
