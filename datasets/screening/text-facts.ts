import type { Domain } from '../../schemas/levels.ts';
import { boilerplateShare } from './boilerplate.ts';
import { asciiLetterShare, isEnglish } from './language.ts';
import { isNoise } from './noise.ts';
import { relationCount } from './relations.ts';
import { countTokens, proseOf } from './row-text.ts';
import { sentencesOf } from './sentences.ts';

/** What several rules ask about one text, each computed once and only when asked for. */
export class TextFacts {
  readonly text: string;
  #prose: string | null = null;
  #tokens: number | null = null;
  #sentences: readonly string[] | null = null;
  #asciiShare: number | null = null;
  #courtesyShare: number | null = null;
  #relations: number | null = null;
  readonly #noise = new Map<Domain, boolean>();

  constructor(text: string) {
    this.text = text;
  }

  get prose(): string {
    return (this.#prose ??= proseOf(this.text));
  }

  get tokens(): number {
    return (this.#tokens ??= countTokens(this.text));
  }

  get sentences(): readonly string[] {
    return (this.#sentences ??= sentencesOf(this.text));
  }

  get asciiShare(): number {
    return (this.#asciiShare ??= asciiLetterShare(this.text));
  }

  get courtesyShare(): number {
    return (this.#courtesyShare ??= boilerplateShare(this.text, this.sentences));
  }

  get relations(): number {
    return (this.#relations ??= relationCount(this.text));
  }

  get isEnglish(): boolean {
    return isEnglish(this.text, this);
  }

  isNoise(domain: Domain): boolean {
    const known = this.#noise.get(domain);
    if (known !== undefined) return known;
    const value = isNoise(this.text, domain, this.prose);
    this.#noise.set(domain, value);
    return value;
  }
}
