/** Luhn test of card numbers. */
export function isLuhn(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Number ranges of the large card issuers, with the Luhn test. */
export function isCardNumber(digits: string): boolean {
  return /^(?:4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/.test(digits) && isLuhn(digits);
}

/** ISO 7064 mod 97 test of bank account numbers. */
export function isIban(text: string): boolean {
  const bare = text.replace(/ /g, '');
  if (bare.length < 15 || bare.length > 34) return false;
  let rest = 0;
  for (const char of bare.slice(4) + bare.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Spanish DNI: the letter follows from the eight digits. */
export function isSpanishId(text: string): boolean {
  const bare = text.replace('-', '');
  return 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(Number(bare.slice(0, 8)) % 23) === bare.charAt(8);
}
