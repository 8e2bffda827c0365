import assert from "node:assert/strict";

import { type ConformanceCheck, check } from "../conformance/check.ts";
import { freshDirectory, printedBy, type SandboxSubject, withSandbox } from "./subject.ts";

/** What goes in, what comes out, and what cannot be touched. */
export function fileChecks(subject: SandboxSubject): readonly ConformanceCheck[] {
  return [
    check("copies files in for its user, and out again", () => checkRoundTrip(subject)),
    check("copies nothing out that leads out", () => checkHostile(subject)),
    check("copies no more than the bounds", () => checkBounds(subject)),
    check("has no network unless it is given one", () => checkNetwork(subject)),
    check("keeps a read-only root, with a workdir that is not", () => checkReadOnly(subject)),
    check("leaves nothing when it is cancelled while it is made", () => checkCancelled(subject)),
    check("records the image by what it means, and equal specs alike", () => checkRecord(subject)),
  ];
}

async function checkRoundTrip(subject: SandboxSubject): Promise<void> {
  const { files } = subject;
  const host = await freshDirectory(subject);
  await files.makeDirectory(`${host}/a/b`);
  await files.makeDirectory(`${host}/empty`);
  await files.writeNew(`${host}/a/b/ünï \n.txt`, [Buffer.from("text")]);
  await files.writeNew(`${host}/run.sh`, [Buffer.from("#!/bin/sh\necho ran\n")], {
    isExecutable: true,
  });
  await files.makeLink(`${host}/link`, "/etc/passwd");
  await withSandbox(subject, { user: "agent" }, async (sandbox) => {
    await sandbox.upload(host, "/workspace/in");
    assert.equal(await printedBy(sandbox, "in/run.sh && echo new >> in/run.sh"), "ran");
    assert.equal(await printedBy(sandbox, "find in -not -user agent; test ! -e in/link"), "");
    const copy = await freshDirectory(subject);
    const facts = await sandbox.download("/workspace/in", copy);
    assert.deepEqual(facts, {
      fileCount: 2,
      sizeBytes: 4 + 19 + 4,
      omitted: {},
      isTruncated: false,
      isFound: true,
    });
    assert.equal(await files.readText(`${copy}/a/b/ünï \n.txt`), "text");
    assert.equal((await files.stat(`${copy}/empty`))?.kind, "directory");
    const single = await freshDirectory(subject);
    await sandbox.download("/workspace/in/run.sh", single);
    assert.equal(await files.readText(`${single}/run.sh`), "#!/bin/sh\necho ran\nnew\n");
    const none = await sandbox.download("/workspace/none", await freshDirectory(subject));
    assert.deepEqual([none.isFound, none.fileCount], [false, 0]);
  });
}

async function checkHostile(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, {}, async (sandbox) => {
    await printedBy(
      sandbox,
      `mkdir d && echo x > d/f && ln -s d inner && ln -s /etc absolute && ln -s ../../etc upward
       ln -s loop loop; mkfifo fifo; ln d/f hard; echo s > secret && chmod 0 secret d; ln -s d/../../.. over`,
    );
    const copy = await freshDirectory(subject);
    const facts = await sandbox.download("/workspace", copy);
    assert.deepEqual(facts.omitted, { outward_link: 3, special_file: 1 });
    assert.equal(facts.fileCount, 3);
    const names = await subject.files.list(copy);
    assert.deepEqual([...names].sort(), ["d", "hard", "inner", "loop", "secret"]);
    assert.equal(await subject.files.readText(`${copy}/secret`), "s\n");
    assert.equal(await subject.files.readText(`${copy}/hard`), "x\n");
    await printedBy(sandbox, "mkdir /elsewhere && cd / && ln -s /etc /elsewhere/it");
    const link = await sandbox.download("/elsewhere/it", await freshDirectory(subject));
    assert.deepEqual(link.omitted, { outward_link: 1 });
  });
}

async function checkBounds(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, {}, async (sandbox) => {
    await printedBy(sandbox, "dd if=/dev/zero of=huge bs=1M count=0 seek=100000 2>/dev/null");
    const facts = await sandbox.download("/workspace", await freshDirectory(subject), {
      maxBytes: 100_000,
    });
    assert.deepEqual([facts.isTruncated, facts.sizeBytes], [true, 100_000]);
    await printedBy(sandbox, "rm huge; for i in 1 2 3 4 5 6; do echo > $i; done");
    const few = await sandbox.download("/workspace", await freshDirectory(subject), {
      maxEntries: 4,
    });
    assert.deepEqual([few.isTruncated, few.fileCount < 6], [true, true]);
    const cut = await sandbox.download("/workspace", await freshDirectory(subject), {
      cutSignal: AbortSignal.abort(),
    });
    assert.deepEqual([cut.isTruncated, cut.fileCount], [true, 0]);
    // No path may be as long as this one comes to be.
    const name = "n".repeat(200);
    await printedBy(
      sandbox,
      `for i in $(seq 30); do mkdir ${name} && cd ${name}; done; echo > end`,
    );
    const deep = await sandbox.download("/workspace", await freshDirectory(subject));
    assert.ok(deep.fileCount <= 7, `it has ${deep.fileCount} files`);
  });
}

async function checkNetwork(subject: SandboxSubject): Promise<void> {
  const list = "ls /sys/class/net | grep -vE '^(lo|tunl|sit|ip6tnl|gre|erspan)' || true";
  await withSandbox(subject, {}, async (sandbox) => {
    assert.equal(await printedBy(sandbox, list), "");
  });
  await withSandbox(subject, { network: "bridge" }, async (sandbox) => {
    assert.notEqual(await printedBy(sandbox, list), "");
    assert.match(await printedBy(sandbox, "cat /etc/hosts"), /host\.docker\.internal/);
  });
}

async function checkReadOnly(subject: SandboxSubject): Promise<void> {
  const host = await freshDirectory(subject);
  await subject.files.writeNew(`${host}/seen`, [Buffer.from("seen")]);
  const mounts = [{ source: host, target: "/given" }];
  await withSandbox(subject, { isRootReadOnly: true, mounts }, async (sandbox) => {
    await sandbox.upload(host, "/workspace");
    const written = "cat seen /given/seen && echo > made && echo > /tmp/made";
    assert.equal(await printedBy(sandbox, written), "seenseen");
    await printedBy(sandbox, "! echo > /bin/made && ! echo > /given/made");
    const facts = await sandbox.download("/workspace", await freshDirectory(subject));
    assert.equal(facts.fileCount, 2);
  });
  await withSandbox(subject, { isRootReadOnly: true, user: "agent" }, async (sandbox) => {
    await printedBy(sandbox, "echo > made && echo > /tmp/made");
  });
}

async function checkCancelled({ provider, image }: SandboxSubject): Promise<void> {
  const stop = new AbortController();
  const making = provider.create({ image, trialId: "cancelled:0" }, { signal: stop.signal });
  stop.abort();
  await assert.rejects(making, { code: "ASSAY_CANCELLED" });
}

async function checkRecord(subject: SandboxSubject): Promise<void> {
  const { image } = subject;
  const spec = { limits: { cpus: 1, memoryBytes: 2 ** 26 }, network: "none" as const };
  const records: string[] = [];
  for (const trialId of ["one:0", "two:1"])
    await withSandbox(subject, { ...spec, trialId }, async ({ record }) => {
      records.push(JSON.stringify(record));
    });
  assert.equal(records[0], records[1]);
  for (const fact of [image.reference, image.digest, "container", '"cpus":1'])
    assert.ok(records[0]?.includes(fact), `${fact} is not in ${records[0]}`);
}
