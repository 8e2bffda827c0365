import type { Trajectory } from "../../contracts/trajectory.ts";
import { getOwn, isPlainObject, type JsonObject } from "../../support/json.ts";

/**
 * The skills that a trial was given, as its metadata tell them: a list `skills`, or one object `skill` as older runs
 * have it. An object without a key is none.
 */
export function givenSkills(metadata: JsonObject): readonly JsonObject[] {
  const list = getOwn(metadata, "skills");
  const all: readonly unknown[] = Array.isArray(list) ? list : [getOwn(metadata, "skill")];
  return all.filter(
    (skill): skill is JsonObject => isPlainObject(skill) && Object.keys(skill).length > 0,
  );
}

/** Where skills were put for the agent. */
export function locationsOf(skills: readonly JsonObject[]): readonly string[] {
  return skills.flatMap((skill) => {
    const location = getOwn(skill, "location");
    return typeof location === "string" && location.trim() !== "" ? [location] : [];
  });
}

/** The first location that a text of the trajectory holds; null when none does. */
export function metLocation(trajectory: Trajectory, locations: readonly string[]): string | null {
  if (locations.length === 0) return null;
  for (const text of trajectory.texts()) {
    const met = locations.find((location) => holds(text, location));
    if (met !== undefined) return met;
  }
  return null;
}

const nameCharacter = /[\p{L}\p{N}_-]/u;

/** A name that goes on behind the location is that of another skill: `skills/code` is not in `skills/code-review`. */
function holds(text: string, location: string): boolean {
  for (let at = text.indexOf(location); at !== -1; at = text.indexOf(location, at + 1)) {
    const next = text.slice(at + location.length, at + location.length + 2);
    const goesOn = nameCharacter.test(location.slice(-1)) && nameCharacter.test([...next][0] ?? "");
    if (!goesOn) return true;
  }
  return false;
}
