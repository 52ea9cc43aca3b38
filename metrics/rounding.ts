/** Decimal digits of a finite number without exponent, as JavaScript prints it. */
function plainDecimal(value: number): { readonly whole: string; readonly fraction: string } {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  if (shift >= 0) return { whole: whole + fraction.slice(0, shift).padEnd(shift, '0'), fraction: fraction.slice(shift) };
  const padded = whole.padStart(1 - shift, '0');
  return { whole: padded.slice(0, shift), fraction: padded.slice(shift) + fraction };
}

/**
 * Rounds for display, half away from zero on the printed decimal digits, so that every export shows the same text (SPEC §7).
 * `null` (not known) stays visible as a dash.
 */
export function displayNumber(value: number | null, digits = 2): string {
  if (value === null || !Number.isFinite(value)) return '–';
  const { whole, fraction } = plainDecimal(value);
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  const text = (kept + ((fraction[digits] ?? '0') >= '5' ? 1n : 0n)).toString().padStart(digits + 1, '0');
  const sign = value < 0 && /[1-9]/.test(text) ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
