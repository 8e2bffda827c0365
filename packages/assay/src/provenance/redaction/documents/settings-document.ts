import type { SettingsForm } from "../../../contracts/redactor.ts";
import { readJsonPlaces } from "../../../support/json-places.ts";
import { editsOfAssignments } from "./assignments.ts";
import { type Edit, edited, editsOf } from "./document-node.ts";
import { readYamlDocument } from "./yaml-document.ts";

/** To read YAML with its places costs far more than to go through its lines. */
const maxYamlLength = 64 * 1024;

/**
 * A document without the values whose names say credential, whatever they look like; all else of it stays as it is
 * written. What is not of its form is read line by line.
 */
export async function redactDocument(
  text: string,
  { format, isWhole }: SettingsForm,
  tell: (rule: string) => void,
): Promise<string> {
  const root =
    format === "json"
      ? readJsonPlaces(text)
      : format === "yaml" && text.length <= maxYamlLength
        ? await readYamlDocument(text)
        : null;
  const edits: readonly Edit[] =
    root === null ? editsOfAssignments(text, tell) : editsOf(root, isWhole, tell);
  return edits.length === 0 ? text : edited(text, edits);
}
