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
  const mixed =
    text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 4) ^ (text.charCodeAt(at + 2) << 8);
  return mixed & (tableSize - 1);
}

function shiftTable(forms: readonly Form[], window: number): Uint8Array {
  const table = new Uint8Array(tableSize).fill(window - gram + 1);
  for (const form of forms) {
    let places: readonly Place[] = entriesOf(form, 0);
    for (let offset = 0; offset <= window - gram; offset += 1) {
      for (const text of places.flatMap((place) => textsFrom(form, place, gram))) {
        const slot = hashAt(text, 0);
        table[slot] = Math.min(table[slot] ?? 0, window - gram - offset);
      }
      places = distinct(places.flatMap((place) => placesAfter(form, place)));
    }
  }
  return table;
}

/** A character of a form: which unit, which of its spellings, where in it. */
interface Place {
  readonly unit: number;
  readonly spelling: string;
  readonly index: number;
}

function entriesOf(form: Form, unit: number): Place[] {
  return (form[unit] ?? []).map((spelling) => ({ unit, spelling, index: 0 }));
}

function placesAfter(form: Form, { unit, spelling, index }: Place): Place[] {
  if (index + 1 < spelling.length) return [{ unit, spelling, index: index + 1 }];
  return entriesOf(form, unit + 1);
}

/** All texts of `length` characters that can start at a place. */
function textsFrom(form: Form, place: Place, length: number): string[] {
  const character = place.spelling.charAt(place.index);
  if (length === 1) return [character];
  return placesAfter(form, place).flatMap((next) =>
    textsFrom(form, next, length - 1).map((rest) => character + rest),
  );
}

function distinct(places: readonly Place[]): Place[] {
  const keyed = places.map((place): [string, Place] => [
    `${place.unit}:${place.index}:${place.spelling}`,
    place,
  ]);
  return [...new Map(keyed).values()];
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
