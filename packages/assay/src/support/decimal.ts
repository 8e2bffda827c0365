/**
 * An exact sum of decimal amounts, such as money. A number counts as the shortest decimal that is read as it, the one that
 * its producer wrote: ten times 0.05 are 0.5. Any order and any grouping of the same numbers give the same sum.
 */
export class Decimal {
  static readonly zero = new Decimal(0n, 0);
  readonly #units: bigint;
  /** Digits behind the point that the units have. */
  readonly #scale: number;

  private constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /** `value` must be finite. */
  plus(value: number): Decimal {
    const [digits = "", exponent] = value.toExponential().split("e");
    const [whole = "", fraction = ""] = digits.split(".");
    const ownScale = fraction.length - Number(exponent);
    const scale = Math.max(this.#scale, ownScale);
    const units =
      this.#units * 10n ** BigInt(scale - this.#scale) +
      BigInt(whole + fraction) * 10n ** BigInt(scale - ownScale);
    return new Decimal(units, scale);
  }

  /** The nearest number; infinite where none is near. */
  toNumber(): number {
    return Number(`${this.#units}e${-this.#scale}`);
  }
}
