// Checks the deal, the chain and the signature of replays, and the test vectors: node check-deal.js FILE…   Node 18 or newer.
const { createHash, createHmac, createPublicKey, verify } = require("crypto");
const { readFileSync } = require("fs");

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hash = (...parts) => sha256(...parts).toString("hex");
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const number = (value, bytes = 8) => Buffer.from(BigInt(value).toString(16).padStart(2 * bytes, "0"), "hex");
const hex = (digits) => Buffer.from(digits, "hex"), text = (value) => Buffer.from(value, "utf8");
const derive = (key, domain, ...numbers) => hmac(key, text(domain + "\0"), ...numbers.map((value) => number(value)));

function shuffled(items, key) {
  let order = [...items], block = 0, words = [];
  const below = (bound) => {
    for (;;) {
      const bytes = words.length || hmac(key, number(block++));
      if (!words.length) words = [0, 4, 8, 12, 16, 20, 24, 28].map((at) => bytes.readUInt32BE(at));
      const word = words.shift();
      if (word < 2 ** 32 - (2 ** 32 % bound)) return word % bound;
    }
  };
  for (let last = order.length - 1; last > 0; last--) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

const onePack = [..."SHDC"].flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));
const pack = (packs, jokers) => [...Array(packs).fill(onePack).flat(), ...Array(jokers).fill("JK")];

function rootAlong(leaf, place, size, path) {
  if (size === 1) return path.length ? Buffer.alloc(0) : leaf;
  const left = 2 ** Math.floor(Math.log2(size - 1)), beside = path[path.length - 1], rest = path.slice(0, -1);
  return place < left
    ? sha256(number(1, 1), rootAlong(leaf, place, left, rest), beside)
    : sha256(number(1, 1), beside, rootAlong(leaf, place - left, size - left, rest));
}

// What is wrong with where the cards are said to come from.
function dealProblems(header, hashes, nonces, reveal) {
  const found = [], seed = hex(reveal.secret), proof = reveal.proof;
  if (hash(text(header.match + "\0"), seed) !== header.commitment) found.push("another secret was committed to");
  if (nonces.some((nonce, seat) => (nonce ? hash(hex(nonce)) : "") !== (hashes[seat] || ""))) found.push("a nonce does not open its hash");
  if (nonces.length > header.options.players) found.push("a nonce of nobody's");
  if (!proof) return found;
  const made = hmac(hex(proof.secret), text("set\0"), number(proof.number), ...proof.nonces.map(hex));
  if (!made.equals(seed)) found.push("the secret of the set and its nonces give another seed");
  const leaf = sha256(number(0, 1), text("set\0"), number(proof.number), hex(proof.secret));
  const root = rootAlong(leaf, proof.leaf, proof.size, proof.path.map(hex));
  if (hash(text("rummyref sets 1"), number(proof.size), root) !== proof.root) found.push("the path leads to another root");
  return found;
}

// Cards, first dealt first: the deck of a round, the dealer's, or a pile as new stock. Packs and jokers: docs/rules, by preset.
function cards(header, nonces, reveal, domain, numbers, pile) {
  const { packs = 2, jokers = 2 } = header.options, name = text(reveal.table < 0 ? header.match : ""), all = pack(packs, jokers);
  const secret = hex(reveal.secret), of = (seat) => hex(nonces[seat] || "00".repeat(32));
  const seed = hmac(secret, text("match\0"), number(name.length, 2), name, ...[...Array(header.options.players).keys()].map(of));
  const suits = reveal.relabelled ? shuffled([0, 1, 2, 3], derive(secret, "suits", reveal.table)) : [0, 1, 2, 3];
  const suited = (list, suit) => list.map((card) => (card === "JK" ? card : card[0] + "SHDC"[suit("SHDC".indexOf(card[1]))]));
  const before = (stock) => suited(stock, (suit) => suits.indexOf(suit)).sort((one, other) => all.indexOf(one) - all.indexOf(other));
  return suited(shuffled(pile ? before(pile.split(" ")) : all, derive(seed, domain, ...numbers)), (suit) => suits[suit]).join(" ");
}
// What is wrong with the chain of a replay or its signature.
function chainProblems(lines) {
  let head = sha256(text("rummyref record 1")), first;
  for (const [at, line] of lines.entries()) {
    const { entry, head: claimed, key, signature } = JSON.parse(line);
    if (entry) {
      const bytes = text(line.slice('{"entry":'.length, line.lastIndexOf(',"head":')));
      first = first || sha256(bytes);
      head = sha256(head, bytes);
      if (head.toString("hex") !== claimed) return [`entry ${at} breaks the chain`];
    } else {
      const der = Buffer.concat([hex("302a300506032b6570032100"), hex(key)]); // an Ed25519 key in its usual wrapping
      const signed = Buffer.concat([text("rummyref signature 1\0"), first, head]), wrapped = { key: der, format: "der", type: "spki" };
      if (!verify(null, signed, createPublicKey(wrapped), hex(signature))) return ["the signature is not one of this replay"];
    }
  }
  return [];
}

for (const file of process.argv.slice(2)) {
  const lines = readFileSync(file, "utf8").trim().split("\n"), found = [];
  if (file.endsWith(".json")) {
    for (const { name, header, hashes, nonces, reveal, round, deck, dealer, reshuffle } of JSON.parse(lines.join("\n"))) {
      const made = (...what) => cards(header, nonces, reveal, ...what), { count, pile, stock } = reshuffle;
      const same = made("deck", [round]) === deck && made("dealer", []) === dealer && made("reshuffle", [round, count], pile) === stock;
      if (!same || dealProblems(header, hashes, nonces, reveal).length) found.push(name);
    }
  } else {
    const entries = lines.map((line) => JSON.parse(line).entry).filter(Boolean), reveal = entries[entries.length - 1];
    const of = (wanted) => entries.find(({ kind }) => kind === wanted) || {}, { nonces = [] } = of("deal"), { hashes = [] } = of("hashes");
    found.push(...chainProblems(lines), ...dealProblems(entries[0], hashes, nonces, reveal));
    console.log(`${file}: first deck ${cards(entries[0], nonces, reveal, "deck", [0])}`);
  }
  console.log(`${file}: ${found.length ? `BAD: ${found.join("; ")}` : "ok"}`);
  process.exitCode ||= found.length && 1;
}
