import { type DockerClient, isGood } from "./client.ts";

/** The variable by which all that came of one command is found inside its container. */
export const commandMarkVariable = "ASSAY_COMMAND_MARK";

/** Runs a command as a child, so that the shell stays as the one that is known to be asked to end. */
export const runCommand = `trap : TERM; "$@"; exit "$?"`;

/**
 * Ends what carries a mark in its environment, descends from such a process, is in a session that one led, or holds the
 * output of the command: each finds what the others miss. Nothing but a shell and \`sleep\` is needed. $1 the mark, $2
 * tenths of a second between SIGTERM and SIGKILL; exit 9 when something lives on.
 */
const endMarked = `
mark=$1 ticks=$2 self=$$ known=' ' out='' err=''
is_marked() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *"$mark"*) return 0 ;; esac
  done
  return 1
}
keep_output() {
  out=none err=none
  # A pipe stays known by what is held here, whenever its process ends.
  if [ -p "$1/fd/1" ] && command exec 3<>"$1/fd/1"; then out=/proc/$self/fd/3; fi
  if [ -p "$1/fd/2" ] && command exec 4<>"$1/fd/2"; then err=/proc/$self/fd/4; fi
}
holds_output() {
  for file in "$1"/fd/*; do
    if [ "$file" -ef "$out" ] || [ "$file" -ef "$err" ]; then return 0; fi
  done
  return 1
}
find_living() {
  found=' ' table='' grown=1
  for place in /proc/[0-9]*; do
    pid=\${place#/proc/}
    if [ "$pid" = 1 ] || [ "$pid" = "$self" ]; then continue; fi
    { read -r stat <"$place/stat"; } 2>/dev/null || continue
    set -- \${stat##*) }
    case $1 in Z | X) continue ;; esac
    table="$table $pid:$2:$4"
    case $known in *" $pid "*) continue ;; esac
    if { is_marked <"$place/environ"; } 2>/dev/null; then
      known="$known$pid "
      # The engine's own child is the shell that runs the command.
      if [ "$2$out" = 0 ]; then keep_output "$place" 2>/dev/null; fi
    elif [ -n "$out" ] && holds_output "$place" 2>/dev/null; then
      known="$known$pid "
    fi
  done
  while [ "$grown" = 1 ]; do
    grown=0
    for row in $table; do
      pid=\${row%%:*} rest=\${row#*:}
      case $found in *" $pid "*) continue ;; esac
      case $known in *" $pid "* | *" \${rest%%:*} "* | *" \${rest#*:} "*) found="$found$pid " known="$known$pid " grown=1 ;; esac
    done
  done
  [ "$found" != ' ' ]
}
send() { for pid in $found; do kill "-$1" "$pid" 2>/dev/null; done; }
find_living || exit 0
send TERM
while [ "$ticks" -gt 0 ]; do
  sleep 0.1 2>/dev/null || { sleep 1; ticks=$((ticks - 9)); }
  ticks=$((ticks - 1))
  find_living || exit 0
done
rounds=0
while [ "$rounds" -lt 30 ]; do
  find_living || exit 0
  send KILL
  rounds=$((rounds + 1))
  if [ "$rounds" -gt 3 ]; then sleep 0.1 2>/dev/null; fi
done
find_living || exit 0
exit 9
`;

export interface MarkedCommand {
  readonly container: string;
  readonly mark: string;
  /** As whom it runs: only that user can see its environment. */
  readonly user: string | undefined;
  readonly graceMs: number;
}

/**
 * Ends a command and all that came of it. Where that cannot be done, for it got away, became another user or left no
 * room for another process, everything in the container is ended; and at last the container. False then.
 */
export async function endCommand(client: DockerClient, command: MarkedCommand): Promise<boolean> {
  const { container, mark, user, graceMs } = command;
  const asUser = user === undefined ? [] : ["--user", user];
  const ticks = String(Math.ceil(graceMs / 100));
  const ended = await client.run(
    ["exec", ...asUser, container, "sh", "-c", endMarked, "sh", mark, ticks],
    { timeoutMs: graceMs + 10_000 },
  );
  return isGood(ended) || (await endAll(client, container));
}

/** Ends all but the first process and the one that asks; where that cannot be done, the container. False then. */
export async function endAll(client: DockerClient, container: string): Promise<boolean> {
  const swept = await client.run(["exec", "--user", "0", container, "sh", "-c", "kill -9 -1"], {
    timeoutMs: 10_000,
  });
  if (isGood(swept)) return true;
  await client.run(["kill", container]);
  return false;
}
