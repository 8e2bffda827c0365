import type { Clock } from "../../contracts/clock.ts";
import type { ProcessIdentities } from "../../contracts/owner.ts";
import type {
  BuiltImage,
  ImageBuild,
  Sandbox,
  SandboxCallOptions,
  SandboxEngine,
  SandboxImage,
  SandboxProvider,
  SandboxSpec,
} from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import { type DockerAccess, DockerClient } from "./client.ts";
import { checkSpec, createFlags, volumeName, workdirOf } from "./create-flags.ts";
import { askEngine, isPodman } from "./engine.ts";
import { environmentFlags } from "./env-file.ts";
import { buildImage, resolveImage } from "./images.ts";
import { containerName, labelFlags, type SandboxOwner } from "./labels.ts";
import { removeContainer, removeVolume } from "./remove.ts";
import { DockerSandbox } from "./sandbox.ts";
import { removeAllOf, sweepCommand, sweepDead } from "./sweep.ts";

/** Podman before 5 knows the host by another name only. */
const nameHost = `
while read -r address names; do
  case " $names " in
  *" host.docker.internal "*) exit ;;
  *" host.containers.internal "*) found=$address ;;
  esac
done </etc/hosts
[ -z "$found" ] || echo "$found host.docker.internal" >>/etc/hosts`;

export interface DockerProviderOptions extends DockerAccess {
  readonly clock: Clock;
  readonly runId: string;
  /** The run's token. */
  readonly token: string;
  readonly identities: ProcessIdentities;
}

/** Sandboxes that are containers of a Docker engine, or of Podman by its docker front end. */
export class DockerProvider implements SandboxProvider {
  readonly name = "docker";
  readonly #client: DockerClient;
  readonly #clock: Clock;
  readonly #identities: ProcessIdentities;
  readonly #owner: SandboxOwner;
  readonly #sandboxes = new Map<string, DockerSandbox>();
  readonly #builds = new Map<string, Promise<BuiltImage>>();
  #facts: Promise<SandboxEngine> | null = null;
  #opened: Promise<void> | null = null;
  #isClosed = false;
  #standDown: () => void = () => {};

  constructor({ clock, runId, token, identities, ...access }: DockerProviderOptions) {
    this.#client = new DockerClient(access);
    this.#clock = clock;
    this.#identities = identities;
    this.#owner = { token, runId, process: identities.own() };
  }

  facts(): Promise<SandboxEngine> {
    this.#facts ??= askEngine(this.#client);
    return this.#facts;
  }

  async resolveImage(reference: string, options?: SandboxCallOptions): Promise<SandboxImage> {
    await this.facts();
    return await resolveImage(this.#client, reference, options);
  }

  async buildImage(build: ImageBuild, options?: SandboxCallOptions): Promise<BuiltImage> {
    await this.facts();
    const key = JSON.stringify(build);
    const running = this.#builds.get(key) ?? buildImage(this.#client, build, options);
    this.#builds.set(key, running);
    // What failed may be tried again; what was built is found by its content.
    const forget = () => void this.#builds.delete(key);
    running.then(forget, forget);
    return await running;
  }

  async create(spec: SandboxSpec, { signal }: SandboxCallOptions = {}): Promise<Sandbox> {
    checkSpec(spec);
    this.#assertGoing(signal);
    await this.#open();
    this.#assertGoing(signal);
    const name = containerName(this.#owner, spec.trialId, newToken());
    // Is not cancelled: whoever stops waiting cannot know whether there will be a container.
    const started = this.#start(name, spec);
    const remove = async () => {
      await started.catch(() => {});
      await this.#remove(name, spec);
    };
    const sandbox = new DockerSandbox({
      client: this.#client,
      clock: this.#clock,
      name,
      spec,
      remove,
    });
    // From now on it is stopped, whatever comes.
    this.#sandboxes.set(name, sandbox);
    try {
      await started;
      this.#assertGoing(signal);
      await this.#giveWorkdir(sandbox);
      this.#assertGoing(signal);
      return sandbox;
    } catch (thrown) {
      // What it could not be made for is told; that it could not be removed, where it is tried again.
      await sandbox.stop().catch(() => {});
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#opened === null) return;
    await this.#opened.catch(() => {});
    const stopped = [...this.#sandboxes.values()].map((sandbox) => sandbox.stop());
    const settled = await Promise.allSettled(stopped);
    // Also what the engine made although its making was given up.
    await removeAllOf(this.#client, this.#owner.token, this.#clock);
    const failed = settled.find((result) => result.status === "rejected");
    if (failed !== undefined && this.#sandboxes.size > 0) throw failed.reason;
    this.#standDown();
  }

  /** Before the first container: removes what dead runs left, and sees to it that this one leaves nothing. */
  #open(): Promise<void> {
    this.#opened ??= this.#begin();
    return this.#opened;
  }

  async #begin(): Promise<void> {
    await this.facts();
    const { access, env } = this.#client;
    this.#standDown = access.process.atExit({
      argv: sweepCommand(access.program, this.#owner.token),
      env,
    });
    await sweepDead(this.#client, { clock: this.#clock, livenessOf: this.#identities.livenessOf });
  }

  async #start(name: string, spec: SandboxSpec): Promise<void> {
    const labels = labelFlags(this.#owner, spec.trialId);
    const environment = await environmentFlags(spec.env ?? {}, this.#client.access);
    try {
      const isPodman = await this.#isPodman();
      const flags = createFlags(name, spec, { environment: environment.flags, isPodman });
      if (spec.isRootReadOnly === true) {
        const args = ["volume", "create", ...labels, volumeName(name)];
        await this.#client.answer(`the volume of ${name} could not be made`, args);
      }
      await this.#client.answer(
        `a container of the image "${spec.image.reference}" could not be started`,
        ["run", "--detach", ...labels, ...flags],
        { env: environment.env },
      );
    } finally {
      await environment.dispose();
    }
  }

  async #giveWorkdir(sandbox: DockerSandbox): Promise<void> {
    if (await this.#isPodman()) {
      await sandbox.makeDirectory(workdirOf(sandbox.spec));
      if (sandbox.spec.network === "bridge")
        await this.#client.run(["exec", "--user", "0", sandbox.name, "sh", "-c", nameHost]);
    }
    const { uid, gid } = await sandbox.fileOwner();
    if (uid === 0) return;
    const workdir = workdirOf(sandbox.spec);
    await this.#client.answer(`the workdir of ${sandbox.name} could not be given to its user`, [
      ...["exec", "--user", "0", sandbox.name],
      ...["chown", `${uid}:${gid}`, workdir],
    ]);
  }

  async #isPodman(): Promise<boolean> {
    return isPodman(await this.facts());
  }

  #assertGoing(signal: AbortSignal | undefined): void {
    if (signal?.aborted === true || this.#isClosed)
      throw new AssayError(
        "ASSAY_CANCELLED",
        "no sandbox is made any more: the work was cancelled",
      );
  }

  async #remove(name: string, spec: SandboxSpec): Promise<void> {
    await removeContainer(this.#client, name, this.#clock);
    if (spec.isRootReadOnly === true)
      await removeVolume(this.#client, volumeName(name), this.#clock);
    this.#sandboxes.delete(name);
  }
}
