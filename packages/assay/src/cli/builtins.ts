const { getOwnPropertyDescriptor } = Object;
const { apply, ownKeys } = Reflect;

const owners: readonly (readonly [name: string, owner: object])[] = [
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["String.prototype", String.prototype],
  ["RegExp.prototype", RegExp.prototype],
  ["Map.prototype", Map.prototype],
  ["Set.prototype", Set.prototype],
  ["Promise.prototype", Promise.prototype],
  ["JSON", JSON],
  ["Object", Object],
  ["Array", Array],
  ["Promise", Promise],
  ["Reflect", Reflect],
];

/** As they were when the command was started, before any code of a suite. */
const original = owners.map(([name, owner]) => ({
  name,
  owner,
  values: new Map(ownKeys(owner).map((key) => [key, currentValue(owner, key)])),
}));
const { get, has } = Map.prototype;

/**
 * What code in this process has done to what all code stands on: the first function that it replaced, or the first name
 * that it added where loops meet it. Null when nothing of that kind was done.
 */
export function describeDisturbance(): string | null {
  // By plain loops and calls that were kept: any method may be one of those that were replaced.
  for (let at = 0; at < original.length; at += 1) {
    const known = original[at];
    if (known === undefined) continue;
    const keys = ownKeys(known.owner);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string | symbol;
      const isOld = apply(has, known.values, [key]);
      if (!isOld && getOwnPropertyDescriptor(known.owner, key)?.enumerable === true)
        return `added "${String(key)}" to ${known.name}`;
      if (isOld && apply(get, known.values, [key]) !== currentValue(known.owner, key))
        return `replaced ${known.name}.${String(key)}`;
    }
  }
  return null;
}

function currentValue(owner: object, key: string | symbol): unknown {
  return getOwnPropertyDescriptor(owner, key)?.value;
}
