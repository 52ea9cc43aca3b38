/** A growing column of 32-bit integers outside the JavaScript heap; unset members read as the blank value. */
export class NumberColumn {
  private readonly blank: number;
  private values: Int32Array;

  constructor(blank: number) {
    this.blank = blank;
    this.values = new Int32Array(1024).fill(blank);
  }

  get(index: number): number {
    return this.values[index] ?? this.blank;
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const grown = new Int32Array(Math.max(index + 1, this.values.length * 2)).fill(this.blank);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[index] = value;
  }
}
