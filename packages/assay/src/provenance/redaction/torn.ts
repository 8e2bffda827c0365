import { cutMark } from "../../support/cut-text.ts";
import { type Form, maxLength, minLength } from "./forms.ts";
import { type Match, searchFor } from "./search.ts";

/** Finds what is left of a secret where somebody cut a text before it came here. */
export interface TornSearch {
  /** Where the start of a form begins that ends with the text; the length of the text when none does. */
  endPiece(text: string): number;
  /** Where the end of a form ends that the text begins with; 0 when it begins with none. */
  startPiece(text: string): number;
  /** The pieces at the ends of a text and at the marks that say where it was cut. */
  pieces(text: string): readonly Match[];
  /** True when a text may hold a form, or a piece of one, wherever it stands. */
  mayHold(text: string): boolean;
}

/** A shorter piece stands in innocent text. */
const minPieceLength = 8;
/** However long a character is spelt, fewer of them say too little. */
const minPieceUnits = 4;

export function searchForTorn(forms: readonly Form[]): TornSearch {
  const backward = forms.map(reversedForm);
  const endPiece = endPieceOf(forms);
  const endPieceBackward = endPieceOf(backward);
  const reach = Math.max(0, ...forms.map(maxLength)) - 1;
  const tails = backward.map((form) => reversedForm(headOf(form)));
  const anyTail = searchFor(tails);
  const anyPiece = searchFor([...forms.map(headOf), ...tails]);

  const startPiece = (text: string): number => {
    if (text.length < minPieceLength || reach < minPieceLength) return 0;
    const start = text.slice(0, reach);
    if (anyTail.next(start, 0, start.length) === null) return 0;
    return start.length - endPieceBackward(reversed(start));
  };

  return {
    endPiece,
    startPiece,
    pieces(text) {
      const found: Match[] = [];
      for (let from = 0; from <= text.length; ) {
        const mark = text.indexOf(cutMark, from);
        const end = mark === -1 ? text.length : mark;
        const part = from === 0 && mark === -1 ? text : text.slice(from, end);
        const startEnd = startPiece(part);
        if (startEnd > 0) found.push({ start: from, end: from + startEnd });
        const endStart = endPiece(part);
        if (endStart < part.length) found.push({ start: from + endStart, end });
        from = end + 1;
      }
      return found;
    },
    mayHold: (text) => anyPiece.next(text, 0, text.length) !== null,
  };
}

function endPieceOf(forms: readonly Form[]): (text: string) => number {
  const heads = forms.map((form) => ({ form, size: headOf(form).length }));
  const search = searchFor(forms.map(headOf));
  const reach = Math.max(0, ...forms.map(maxLength)) - 1;
  return (text) => {
    if (text.length < minPieceLength || reach < minPieceLength) return text.length;
    const end = text.slice(-reach);
    let match = search.next(end, 0, end.length);
    while (match !== null) {
      const piece = end.slice(match.start);
      if (heads.some(({ form, size }) => isStartOf(form, piece, size)))
        return text.length - piece.length;
      match = search.next(end, match.start + 1, end.length);
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
