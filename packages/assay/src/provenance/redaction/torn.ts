import { cutMark } from "../../support/cut-text.ts";
import { asBytes, asText, type Form, maxLength, minLength, type Spelling } from "./forms.ts";
import { type Match, searchFor } from "./search.ts";

/** Finds what is left of a secret where a text was cut before it came here. Text that no mark says was cut holds no pieces. */
export interface TornSearch {
  /** The pieces beside the marks, in their order: before a mark those that start before `limit`, behind it those of marks before `limit`. */
  pieces(text: string, spell: Spelling, limit: number): readonly Match[];
  /** True when a text has a mark and may hold a piece of a form, wherever both stand. */
  mayHold(text: string): boolean;
}

/** A shorter piece stands in innocent text. */
const minPieceLength = 8;
/** However long a character is spelt, fewer of them say too little. */
const minPieceUnits = 4;

/** What says that a text was cut: Assay's own mark, and how the engine's `JSON.parse` quotes a part of its input. */
interface Marks {
  readonly cut: string;
  readonly pattern: RegExp;
}

/** Inside of other quotes there are backslashes before the quotes. */
const marksIn = (spell: Spelling): Marks => {
  const cut = spell(cutMark);
  const quoted = `\\\\{0,3}"\\.\\.\\. is not valid JSON|, \\.\\.\\.\\\\{0,3}"`;
  return { cut, pattern: new RegExp(`${cut}|${quoted}`, "g") };
};
const inText = marksIn(asText);
const inBytes = marksIn(asBytes);
/** Characters of the longest mark. */
export const longestMark = 25;

function marksOf(text: string, { cut, pattern }: Marks): Iterable<RegExpExecArray> {
  // Nearly every text has none, and this look is much faster.
  return text.includes(cut) || text.includes("...") ? text.matchAll(pattern) : [];
}

interface Pieces {
  /** Where the start of a form begins that ends with the text; the length of the text when none does. */
  endPiece(text: string): number;
  /** Where the end of a form ends that the text begins with; 0 when it begins with none. */
  startPiece(text: string): number;
  /** Whether the least piece of any form stands anywhere. */
  isAny(text: string): boolean;
}

export function searchForTorn(forms: readonly Form[]): TornSearch {
  const reach = Math.max(0, ...forms.map(maxLength)) - 1;
  let made: Pieces | null = null;
  // Made when first needed: most texts are whole.
  const search = (): Pieces => {
    made ??= searchForPieces(forms);
    return made;
  };

  return {
    pieces(text, spell, limit) {
      const found: Match[] = [];
      if (reach < minPieceLength) return found;
      let from = 0;
      for (const { index, 0: mark } of marksOf(text, spell === asText ? inText : inBytes)) {
        const start = index - Math.min(reach, index - from);
        const endStart = start + search().endPiece(text.slice(start, index));
        if (endStart < Math.min(index, limit)) found.push({ start: endStart, end: index });
        from = index + mark.length;
        if (index >= limit) continue;
        const startEnd = search().startPiece(text.slice(from, from + reach));
        if (startEnd > 0) found.push({ start: from, end: from + startEnd });
      }
      return found;
    },
    mayHold(text) {
      for (const _mark of marksOf(text, inText))
        return reach >= minPieceLength && search().isAny(text);
      return false;
    },
  };
}

function searchForPieces(forms: readonly Form[]): Pieces {
  const backward = forms.map(reversedForm);
  const endPiece = endPieceOf(forms);
  const endPieceBackward = endPieceOf(backward);
  const tails = backward.map((form) => reversedForm(headOf(form)));
  const anyTail = searchFor(tails);
  const anyPiece = searchFor([...forms.map(headOf), ...tails]);
  return {
    endPiece,
    startPiece(text) {
      if (anyTail.next(text, 0, text.length) === null) return 0;
      return text.length - endPieceBackward(reversed(text));
    },
    isAny: (text) => anyPiece.next(text, 0, text.length) !== null,
  };
}

function endPieceOf(forms: readonly Form[]): (text: string) => number {
  const heads = forms.map((form) => ({ form, size: headOf(form).length }));
  const search = searchFor(forms.map(headOf));
  return (text) => {
    let match = search.next(text, 0, text.length);
    while (match !== null) {
      const piece = text.slice(match.start);
      if (heads.some(({ form, size }) => isStartOf(form, piece, size))) return match.start;
      match = search.next(text, match.start + 1, text.length);
    }
    return text.length;
  };
}

/** The fewest units that a piece must have; the whole form when it is too short to be torn. */
function headOf(form: Form): Form {
  let size = Math.min(minPieceUnits, form.length);
  while (size < form.length && minLength(form.slice(0, size)) < minPieceLength) size += 1;
  return form.slice(0, size);
}

/** Whether a form starts with the piece, which may end inside a unit but has at least `minUnits` whole ones. */
function isStartOf(form: Form, piece: string, minUnits: number): boolean {
  let places = new Set([0]);
  for (const [index, unit] of form.entries()) {
    const following = new Set<number>();
    for (const place of places) {
      if (place === piece.length && index >= minUnits) return true;
      for (const spelling of unit) {
        if (piece.startsWith(spelling, place)) following.add(place + spelling.length);
        else if (index >= minUnits && spelling.startsWith(piece.slice(place))) return true;
      }
    }
    if (following.size === 0) return false;
    places = following;
  }
  return false;
}

function reversedForm(form: Form): Form {
  return form.toReversed().map((unit) => unit.map(reversed));
}

/** By code units: nobody reads it. */
function reversed(text: string): string {
  return text.split("").reverse().join("");
}
