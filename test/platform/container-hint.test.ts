import { expect, it } from "vitest";

import {
  type ContainerSigns,
  containerHint,
} from "../../packages/assay/src/platform/container-hint.ts";

const none: ContainerSigns = {
  env: {},
  exists: () => false,
  controlGroups: () => "0::/init.scope",
};
const existing = (path: string) => ({ exists: (asked: string) => asked === path });

it.each<[string, Partial<ContainerSigns>, string | null]>([
  ["nothing", {}, null],
  ["Docker's file", existing("/.dockerenv"), "docker"],
  ["Podman's file", existing("/run/.containerenv"), "podman"],
  ["Kubernetes' variable", { env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } }, "kubernetes"],
  ["the variable of systemd", { env: { container: "systemd-nspawn" } }, "systemd-nspawn"],
  ["a variable that is no such name", { env: { container: "/etc/x y" } }, null],
  ["a control group of Docker", { controlGroups: () => "1:cpu:/docker/0123" }, "docker"],
  ["a control group of Kubernetes", { controlGroups: () => "1:cpu:/kubepods/x" }, "kubernetes"],
  ["a control group of Podman", { controlGroups: () => "0::/machine/libpod-0" }, "podman"],
])("the container is guessed from %s", (_what, signs, hint) => {
  expect(containerHint({ ...none, ...signs })).toBe(hint);
});
