import path from "node:path";

import type { RunContext, SuiteProcess, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseCopy } from "../../schema/codec.ts";
import {
  type EvidenceDescriptor,
  type EvidenceDescriptorInput,
  evidenceDescriptorSchema,
} from "../../schema/evidence.ts";
import { taskFolder } from "../../support/file-names.ts";
import { getOwn, setOwn } from "../../support/json.ts";
import { formatInstant, roundedMs } from "../../support/timestamps.ts";
import type { AttemptContext, Workspace } from "./attempt-context.ts";
import { AttemptLog } from "./attempt-log.ts";
import type { PlannedTrial } from "./planned-trial.ts";
import { parseSeeds, writeSeeds } from "./seeds.ts";
import type { StopSignal } from "./stop-signal.ts";
import { type StepDraft, TrajectoryRecorder } from "./trajectory.ts";
import { type UsageDraft, UsageMeter } from "./usage.ts";

export interface AttemptPlace extends PlannedTrial {
  readonly attemptIndex: number;
}

export interface AttemptFootprint {
  readonly seededFiles: readonly string[] | null;
  /** The scratch directory of the attempt, when one was asked for. */
  readonly directory: string | null;
}

/** Everything one attempt leaves behind, whether it ended by itself or not. */
export class AttemptRecorder {
  readonly descriptors: Record<string, EvidenceDescriptor> = {};
  readonly usage = new UsageMeter();
  readonly trajectory = new TrajectoryRecorder();
  readonly log: AttemptLog;
  readonly #run: RunContext;
  readonly #place: AttemptPlace;
  readonly #phases: { name: string; startMs: number }[] = [];
  #directory: Promise<string> | null = null;
  #workspace: Promise<Workspace> | null = null;
  #endMs: number | null = null;

  constructor(run: RunContext, place: AttemptPlace) {
    this.#run = run;
    this.#place = place;
    this.log = new AttemptLog(run.clock);
  }

  /** Something was made on disk, or could not be. */
  get hasDirectory(): boolean {
    return this.#directory !== null || this.#workspace !== null;
  }

  get hasNoEvidence(): boolean {
    const { descriptors, log, trajectory } = this;
    return log.isEmpty && trajectory.isEmpty && Object.keys(descriptors).length === 0;
  }

  /** What was made on disk. A directory that could not be made has already failed the attempt. */
  async footprint(): Promise<AttemptFootprint> {
    const workspace = await this.#workspace?.catch(() => null);
    const directory = await this.#directory?.catch(() => null);
    return { seededFiles: workspace?.seededFiles ?? null, directory: directory ?? null };
  }

  directory(): Promise<string> {
    this.#directory ??= this.#makeDirectory();
    return this.#directory;
  }

  workspace(): Promise<Workspace> {
    this.#workspace ??= this.#makeWorkspace();
    return this.#workspace;
  }

  phase(name: string, startMs = this.#run.clock.monotonicMs()): void {
    this.#phases.push({ name, startMs });
  }

  /** The unseeded workspace, made at once: for agents that take it from their context. */
  workspaceSync(): string {
    const folder = path.join(this.#folder(), "workspace");
    if (this.#workspace === null) {
      this.#run.files.makePrivateDirectorySync(folder);
      this.#directory ??= Promise.resolve(this.#folder());
      this.#workspace = Promise.resolve(this.#asEvidence({ path: folder, seededFiles: [] }));
    }
    return folder;
  }

  /** An agent that was abandoned can add nothing to the attempt from here on. Gives when that is. */
  end(): number {
    this.#endMs = this.#run.clock.monotonicMs();
    return this.#endMs;
  }

  /** Milliseconds by phase; a phase that came twice is summed. */
  phasesMs(): Record<string, number> {
    const end = this.#endMs ?? this.#run.clock.monotonicMs();
    const sums: Record<string, number> = {};
    this.#phases.forEach(({ name, startMs }, index) => {
      const stop = this.#phases[index + 1]?.startMs ?? end;
      setOwn(sums, name, roundedMs(Number(getOwn(sums, name) ?? 0) + stop - startMs));
    });
    return sums;
  }

  context<Options>(
    options: Options,
    tool: ToolFacts | null,
    stop: StopSignal,
  ): AttemptContext<Options> {
    return new OpenContext(this.#run, this.#place, { options, tool, stop }, this.#doors());
  }

  /** What an agent adds to while its attempt is open. */
  #doors(): AttemptDoors {
    return {
      log: this.log.logger(),
      directory: () => this.#whileOpen(() => this.directory()),
      workspace: () => this.#whileOpen(() => this.workspace()),
      workspaceSync: () => this.#whileOpen(() => this.workspaceSync()),
      evidence: {
        add: (name: string, descriptor: EvidenceDescriptorInput) =>
          this.#whileOpen(() => this.#addEvidence(name, descriptor)),
      },
      usage: { add: (usage: UsageDraft) => this.#whileOpen(() => this.usage.add(usage)) },
      step: (step: StepDraft) =>
        this.#whileOpen(() => this.trajectory.add(step, formatInstant(this.#run.clock.now()))),
      phase: (name: string) => this.#whileOpen(() => this.phase(name)),
    };
  }

  #whileOpen<T>(use: () => T): T {
    if (this.#endMs !== null) throw new AssayError("ASSAY_CANCELLED", "the attempt is over");
    return use();
  }

  #addEvidence(name: string, descriptor: EvidenceDescriptorInput): void {
    const source = { source: `evidence "${name}"` };
    setOwn(this.descriptors, name, parseCopy(evidenceDescriptorSchema, descriptor, source));
  }

  #folder(): string {
    return path.join(this.#run.scratch, ...this.#folderNames());
  }

  #folderNames(): readonly string[] {
    const { task, taskIndex, trialIndex, attemptIndex } = this.#place;
    return [taskFolder(taskIndex, task.id), `trial-${trialIndex}`, `attempt-${attemptIndex}`];
  }

  /** Every folder on the way is ours and private, or the attempt fails before anything is written. */
  async #makeDirectory(): Promise<string> {
    let folder = this.#run.scratch;
    for (const name of this.#folderNames()) {
      folder = path.join(folder, name);
      await this.#run.files.makePrivateDirectory(folder);
    }
    return folder;
  }

  async #makeWorkspace(): Promise<Workspace> {
    const seeds = await parseSeeds(this.#place.task.inputs["files"], {
      baseDir: this.#run.baseDir,
      files: this.#run.files,
    });
    const folder = path.join(await this.directory(), "workspace");
    await this.#run.files.makePrivateDirectory(folder);
    const seededFiles = await writeSeeds(folder, seeds, this.#run.files);
    return this.#asEvidence({ path: folder, seededFiles });
  }

  #asEvidence(workspace: Workspace): Workspace {
    this.descriptors["final_state"] = {
      kind: "filesystem",
      format: "dir",
      ref: workspace.path,
      data: null,
      description: null,
      metadata: { role: "final_state" },
    };
    return workspace;
  }
}

type AttemptDoors = Pick<
  AttemptContext<unknown>,
  "log" | "directory" | "workspace" | "workspaceSync" | "evidence" | "usage" | "step" | "phase"
>;

/**
 * A class, which has its getter and its shape once. An object that brings its own getter gets a hidden class of its own,
 * which keeps the object and all it refers to until the collector does its long work.
 */
class OpenContext<Options> implements AttemptContext<Options> {
  readonly options: Options;
  readonly tool: ToolFacts | null;
  readonly trialIndex: number;
  readonly attemptIndex: number;
  readonly baseDir: string;
  readonly graceMs: number;
  readonly log: AttemptDoors["log"];
  readonly directory: AttemptDoors["directory"];
  readonly workspace: AttemptDoors["workspace"];
  readonly workspaceSync: AttemptDoors["workspaceSync"];
  readonly evidence: AttemptDoors["evidence"];
  readonly usage: AttemptDoors["usage"];
  readonly step: AttemptDoors["step"];
  readonly phase: AttemptDoors["phase"];
  readonly secrets: RunContext["secrets"];
  readonly redact: RunContext["redact"];
  readonly process: RunContext["process"];
  readonly files: RunContext["files"];
  readonly clock: RunContext["clock"];
  readonly sandboxes: RunContext["sandboxes"];
  readonly suiteProcess: SuiteProcess | null;
  readonly #stop: StopSignal;

  constructor(
    run: RunContext,
    { trialIndex, attemptIndex }: AttemptPlace,
    given: {
      readonly options: Options;
      readonly tool: ToolFacts | null;
      readonly stop: StopSignal;
    },
    doors: AttemptDoors,
  ) {
    this.options = given.options;
    this.tool = given.tool;
    this.trialIndex = trialIndex;
    this.attemptIndex = attemptIndex;
    this.baseDir = run.baseDir;
    this.graceMs = run.limits.graceMs;
    this.log = doors.log;
    this.directory = doors.directory;
    this.workspace = doors.workspace;
    this.workspaceSync = doors.workspaceSync;
    this.evidence = doors.evidence;
    this.usage = doors.usage;
    this.step = doors.step;
    this.phase = doors.phase;
    this.secrets = run.secrets;
    this.redact = (text) => run.redact(text);
    this.process = run.process;
    this.sandboxes = run.sandboxes;
    this.files = run.files;
    this.clock = run.clock;
    this.suiteProcess = run.suiteProcess ?? null;
    this.#stop = given.stop;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }
}
