import { type Form, maxLength, minLength } from "./forms.ts";

export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Finds the first of many forms in a text, in a time that hardly depends on their number. */
export interface FormSearch {
  /** Length of the longest form: what has to be seen behind a place to decide about it. */
  readonly longest: number;
  /** Length of the shortest form; infinite without forms. */
  readonly shortest: number;
  /** The first match that starts at `from` or later and before `limit`: the longest one at its place. */
  next(text: string, from: number, limit: number): Match | null;
}

const gram = 3;
const maxWindow = 32;
const tableSize = 1 << 16;
/** Low bits of an entry of the table: how far to jump. */
const shiftMask = 0x3f;
/** High bits: whether a form can have these characters so far behind its start. */
const checks = [
  { offset: 0, flag: 0x80 },
  { offset: gram, flag: 0x40 },
] as const;

/**
 * Wu-Manber: a table says for each three characters how near to the start of a form they can stand, so most of a
 * text is jumped over; the few places that remain are checked with the forms themselves.
 */
export function searchFor(forms: readonly Form[]): FormSearch {
  const starts = formsByFirst(forms);
  const shortest = Math.min(...forms.map(minLength));
  const window = Math.min(shortest, maxWindow);
  const table = window < 2 * gram ? null : tableOf(forms, window);

  const endAt = (text: string, at: number): number => {
    let end = -1;
    for (const start of starts.get(text.charCodeAt(at)) ?? []) {
      // Compiled when first needed: most forms never meet a text that begins like them.
      start.pattern ??= patternOf(start.form);
      start.pattern.lastIndex = at;
      if (start.pattern.test(text)) end = Math.max(end, start.pattern.lastIndex);
    }
    return end;
  };

  return {
    longest: Math.max(0, ...forms.map(maxLength)),
    shortest,
    next(text, from, limit) {
      const last = Math.min(limit - 1, text.length - shortest);
      let at = from;
      while (at <= last) {
        const shift = table === null ? 0 : shiftAt(table, text, at + window - gram);
        if (shift > 0) {
          at += shift;
          continue;
        }
        const end = table === null || canStart(table, text, at) ? endAt(text, at) : -1;
        if (end !== -1) return { start: at, end };
        at += 1;
      }
      return null;
    },
  };
}

function hashAt(text: string, at: number): number {
  return hash(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
}

function hash(first: number, second: number, third: number): number {
  return (first ^ (second << 4) ^ (third << 8)) & (tableSize - 1);
}

function shiftAt(table: Uint8Array, text: string, at: number): number {
  return (table[hashAt(text, at)] ?? 0) & shiftMask;
}

function canStart(table: Uint8Array, text: string, at: number): boolean {
  for (const { offset, flag } of checks) {
    if (((table[hashAt(text, at + offset)] ?? 0) & flag) === 0) return false;
  }
  return true;
}

function tableOf(forms: readonly Form[], window: number): Uint8Array {
  const table = new Uint8Array(tableSize).fill(window - gram + 1);
  for (const form of forms) {
    // No more of it can stand in the window: every unit has a character at least.
    let places: Iterable<Place> = placesOf(form.slice(0, window));
    for (let offset = 0; offset <= window - gram; offset += 1) {
      const following = new Set<Place>();
      const flag = checks.find((check) => check.offset === offset)?.flag ?? 0;
      for (const first of places) {
        for (const second of first.next) {
          following.add(second);
          for (const third of second.next) {
            const slot = hash(first.code, second.code, third.code);
            const entry = table[slot] ?? 0;
            const shift = Math.min(entry & shiftMask, window - gram - offset);
            table[slot] = (entry & ~shiftMask) | flag | shift;
          }
        }
      }
      places = following;
    }
  }
  return table;
}

/** A character of a form, and the ones that can stand behind it. */
interface Place {
  readonly code: number;
  readonly next: readonly Place[];
}

/** The places a form can start with. */
function placesOf(form: Form): readonly Place[] {
  let behind: readonly Place[] = [];
  for (const unit of form.toReversed()) behind = unit.map((spelling) => chainOf(spelling, behind));
  return behind;
}

function chainOf(spelling: string, behind: readonly Place[]): Place {
  let place: Place = { code: spelling.charCodeAt(spelling.length - 1), next: behind };
  for (let index = spelling.length - 2; index >= 0; index -= 1) {
    place = { code: spelling.charCodeAt(index), next: [place] };
  }
  return place;
}

interface Start {
  readonly form: Form;
  pattern: RegExp | null;
}

/** The forms that can start with a character, by its code. */
function formsByFirst(forms: readonly Form[]): ReadonlyMap<number, readonly Start[]> {
  const byFirst = new Map<number, Start[]>();
  for (const form of forms) {
    const start: Start = { form, pattern: null };
    for (const code of new Set(form[0]?.map((spelling) => spelling.charCodeAt(0)))) {
      const known = byFirst.get(code);
      if (known === undefined) byFirst.set(code, [start]);
      else known.push(start);
    }
  }
  return byFirst;
}

function patternOf(form: Form): RegExp {
  const source = form.map((unit) => {
    const spellings = [...unit].sort((a, b) => b.length - a.length).map(escapePattern);
    return spellings.length === 1 ? spellings[0] : `(?:${spellings.join("|")})`;
  });
  return new RegExp(source.join(""), "y");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
