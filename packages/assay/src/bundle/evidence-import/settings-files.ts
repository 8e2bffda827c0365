import path from "node:path";

import type { SettingsForm } from "../../contracts/redactor.ts";
import type { EvidenceSet } from "../../schema/evidence.ts";
import { isBelow } from "../../support/paths.ts";

const assignments = /^(?:toml|ini|cfg|conf|cnf|properties|env|lock|tfvars|netrc|pgpass)$/;
const dotFile = /^\.(?:env|envrc|npmrc|pypirc|yarnrc|netrc|pgpass)(?:\..*)?$/;
/** Files that tools log in with, which have no extension. */
const bareNames = /^(?:credentials|_netrc|netrc|pgpass)$/;
const bareYaml = /^kubeconfig$/;
/** Steps of an agent are its own words, whatever they are called. */
const trajectory = /(?:^|[._-])(?:trajectory|atif|otlp)(?:[._-]|$)/;
const settings =
  /(?:^|[._-])(?:config|configuration|settings|options|lock|mcp|auth|secrets?|credentials?)(?:[._-]|$)/;

/** The form of a file that holds settings, by its name; null for any other. Of JSON that is called otherwise a part may. */
export function settingsFormOf(name: string): SettingsForm | null {
  const base = path.posix.basename(name).toLowerCase();
  const [, stem = base, extension = ""] = /^(.*)\.([^.]*)$/.exec(base) ?? [];
  if (bareYaml.test(base)) return { format: "yaml", isWhole: true };
  if (dotFile.test(base) || bareNames.test(base) || assignments.test(extension))
    return { format: "assignments", isWhole: true };
  if (extension === "yaml" || extension === "yml") return { format: "yaml", isWhole: true };
  if (extension !== "json" || trajectory.test(stem)) return null;
  return { format: "json", isWhole: settings.test(stem) };
}

/** Whether a file is an agent's own, by its absolute path: of its workspace or its artifacts, or its trajectory. */
export type IsOfAgent = (file: string) => boolean;

const stateRoles = new Set<unknown>(["initial_state", "final_state"]);

/** What an agent made is data: a name in it says nothing about the credentials of whoever ran it. */
export function ofAgentIn({ descriptors }: EvidenceSet): IsOfAgent {
  const own = Object.values(descriptors)
    .filter(
      ({ kind, metadata }) =>
        kind === "artifact" || kind === "trace" || stateRoles.has(metadata["role"]),
    )
    .flatMap(({ ref }) => (ref === null ? [] : [path.resolve(ref)]));
  const all = new Set(own);
  return (file) => all.has(file) || own.some((place) => isBelow(place, file));
}
