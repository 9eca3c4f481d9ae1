/** What is wrong with a file or a value; the text never holds the value. */
export class Refused extends Error {}

/** A label as the file has it: Python's numbers that are no whole ones, tuples and sets are objects. */
export type Label =
  | string
  | number
  | boolean
  | null
  | { fraction: string }
  | { float: string }
  | { tuple: Label[] }
  | { set: Label[] };

/**
 * What is sent, ready for JSON. An explicit channel: the position of the output. projective_response and
 * hashed_response: a whole number. subset_response: sorted positions of labels. unary_response: a bit for each
 * label, eight to a byte, the first label in the lowest bit, bytes in hexadecimal.
 */
export type Report = number | number[] | string;

/** A stream of uniform 64-bit words: `next` puts the next one into its halves. */
export interface Words {
  hi: number;
  lo: number;
  next(): void;
}

/** What a page accepts; one of the two, or both. */
export interface Accepted {
  /**
   * The largest factor by which a report may change the odds between two answers: 3, or text such as "5/2".
   * For a level ε it is e^ε, rounded up: "2.7182818285" for ε = 1.
   */
  odds?: string | number;
  /** The `sha256` of the one file that is accepted. */
  sha256?: string;
}

/** A mechanism that was read, checked and accepted. What it says was computed, not believed. */
export interface Mechanism {
  /** The hash of the file. */
  readonly sha256: string;
  /** As the file says, such as "projective_response"; for information. */
  readonly family: string;
  /** The answers that a person may have. */
  readonly labels: readonly Label[];
  /** Of an explicit channel the outputs, by position; otherwise undefined. */
  readonly outputs: readonly Label[] | undefined;
  /** The most that a report can change the odds between two answers: numerator and denominator, exact. */
  readonly factor: readonly [bigint, bigint];
  /** A fresh report. `words` is for tests; the device's own randomness when omitted. */
  randomise(label: Label, words?: Words): Report;
  /**
   * The same report for the same key, context and label, every time: asking again tells nothing more.
   * `context` says what is asked, such as "smokes"; another context has independent noise.
   */
  permanent(label: Label, key: CryptoKey, context: string): Promise<Report>;
  /** The labels that a report speaks for: the output, or the labels of its set. */
  means(report: Report): Label[];
}

/** Read the file that Python wrote, check all of it, and refuse what this page does not accept. */
export function load(text: string, accepted: Accepted): Promise<Mechanism>;

/** Where things are kept, at once or later. Values go through structured cloning; a CryptoKey stays what it is. */
export interface Store {
  get(name: string): unknown;
  set(name: string, value: unknown): unknown;
  keys(): Iterable<string> | Promise<Iterable<string>>;
  /** Keep the value unless there is one; gives, once it is on disk, the one that is kept. */
  add(name: string, value: unknown): unknown;
}

/** The browser's database (IndexedDB). */
export function browserStore(database?: string): Store;

/** Memory, for Node and for tests: all is lost with the program. */
export class MemoryStore extends Map<string, unknown> implements Store {
  add(name: string, value: unknown): unknown;
}

/**
 * The device's key for permanent answers: made on first use, kept, and not extractable. Where it is lost,
 * answers are drawn anew and spend their level again.
 */
export function deviceKey(store?: Store): Promise<CryptoKey>;

export interface Kept {
  /** The very text that is sent: {"mechanism": sha256, "reports": [[id, report]]}. */
  readonly body: string;
  readonly report: Report;
  /** "refused": the collector cannot take it, and sending it again would not help. */
  readonly state: "waiting" | "sent" | "refused";
}

/** Reports on their way to a collector: drawn once, stored, then sent until they have arrived. */
export class Outbox {
  constructor(
    mechanism: Mechanism,
    address: string,
    options?: { store?: Store; fetch?: typeof fetch },
  );
  /**
   * The report of this name. The first time `draw` makes it, such as () => mechanism.randomise("yes"); after
   * that it is what was stored, and nothing is drawn.
   */
  add(name: string, draw: () => Report | Promise<Report>): Promise<Kept>;
  /** Send all that waits, the stored bytes as they are. Call it again when the network is back. */
  send(): Promise<{ sent: number; waiting: number; refused: number }>;
}
