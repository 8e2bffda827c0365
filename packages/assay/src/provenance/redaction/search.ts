import { type Form, maxLength, minLength } from "./forms.ts";

export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Finds the first of many forms in a text, in a time that hardly depends on their number. */
export interface FormSearch {
  /** Length of the longest form: what has to be seen behind a place to decide about it. */
  readonly longest: number;
  /** The first match that starts at `from` or later and before `limit`: the longest one at its place. */
  next(text: string, from: number, limit: number): Match | null;
}

const gram = 3;
const maxWindow = 32;
const tableSize = 1 << 16;

/**
 * Wu-Manber: a table says for each three characters how near to the start of a form they can stand, so most of a
 * text is jumped over; the few places that remain are checked with the forms themselves.
 */
export function searchFor(forms: readonly Form[]): FormSearch {
  const patterns = patternsByFirst(forms);
  const shortest = Math.min(...forms.map(minLength));
  const window = Math.min(shortest, maxWindow);
  const shifts = window < gram ? null : shiftTable(forms, window);

  const endAt = (text: string, at: number): number => {
    let end = -1;
    for (const pattern of patterns.get(text.charCodeAt(at)) ?? []) {
      pattern.lastIndex = at;
      if (pattern.test(text)) end = Math.max(end, pattern.lastIndex);
    }
    return end;
  };

  return {
    longest: Math.max(0, ...forms.map(maxLength)),
    next(text, from, limit) {
      const last = Math.min(limit - 1, text.length - shortest);
      let at = from;
      while (at <= last) {
        const shift = shifts === null ? 0 : (shifts[hashAt(text, at + window - gram)] ?? 0);
        if (shift > 0) {
          at += shift;
          continue;
        }
        const end = endAt(text, at);
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

function shiftTable(forms: readonly Form[], window: number): Uint8Array {
  const table = new Uint8Array(tableSize).fill(window - gram + 1);
  for (const form of forms) {
    let places: Iterable<Place> = placesOf(form);
    for (let offset = 0; offset <= window - gram; offset += 1) {
      const following = new Set<Place>();
      for (const first of places) {
        for (const second of first.next) {
          following.add(second);
          for (const third of second.next) {
            const slot = hash(first.code, second.code, third.code);
            table[slot] = Math.min(table[slot] ?? 0, window - gram - offset);
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

/** The forms that can start with a character, by its code. */
function patternsByFirst(forms: readonly Form[]): ReadonlyMap<number, readonly RegExp[]> {
  const byFirst = new Map<number, RegExp[]>();
  for (const form of forms) {
    const pattern = patternOf(form);
    for (const code of new Set(form[0]?.map((spelling) => spelling.charCodeAt(0)))) {
      byFirst.set(code, [...(byFirst.get(code) ?? []), pattern]);
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
