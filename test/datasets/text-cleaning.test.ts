import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToMarkdown, isLinkOnly } from '../../datasets/html-to-markdown.ts';
import { hasLoneSurrogate, normaliseProse, normaliseText } from '../../datasets/normalise.ts';

describe('normaliseText', () => {
  it.each([
    ['CRLF and CR', 'a\r\nb\rc', 'a\nb\nc'],
    ['trailing blanks of lines', 'a  \nb\t\n', 'a\nb'],
    ['three blank lines become one, two stay', 'a\n\n\n\nb\n\n\nc', 'a\n\nb\n\n\nc'],
    ['NBSP', 'a\u00A0b', 'a b'],
    ['zero-width characters and BOM', 'a\u200Bb\uFEFFc', 'abc'],
    ['NFC', 'e\u0301', 'é'],
    ['lone surrogates', 'a\uD800b', 'a\uFFFDb'],
    ['whole pairs stay', 'a😀b', 'a😀b'],
    ['NUL', 'a\u0000b', 'ab'],
    ['entities are text where the source is no HTML', '&lt;b&gt; &amp;amp;', '&lt;b&gt; &amp;amp;'],
    ['code layout', 'def f():\n    if x:\n        return  1', 'def f():\n    if x:\n        return  1'],
    ['markers of models stay as they are', '<|endoftext|> {{x}}', '<|endoftext|> {{x}}'],
  ])('%s', (_name, text, expected) => {
    expect(normaliseText(text)).toBe(expected);
  });

  it('is idempotent and always well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = normaliseText(text);
        expect(normaliseText(once)).toBe(once);
        expect(hasLoneSurrogate(once)).toBe(false);
      }),
    );
  });

  it('trims the padding of scrapers in prose', () => {
    expect(normaliseProse('\r\n\t\t  Hi doctor,\n\t\t  my  knee   hurts.\t\t')).toBe('Hi doctor,\nmy knee hurts.');
  });
});

describe('htmlToMarkdown', () => {
  it.each([
    [
      'a fence with its language',
      '<pre class="lang-py prettyprint"><code>if a &lt; b:\n    pass\n\n\n\nend</code></pre>',
      '```py\nif a < b:\n    pass\n\n\n\nend\n```',
    ],
    ['a fence whose language stands at the code element', '<pre><code class="language-c++">x</code></pre>', '```c++\nx\n```'],
    ['a fence around backticks', '<pre><code>```\nx\n```</code></pre>', '````\n```\nx\n```\n````'],
    ['inline code', '<p>Use <code>a_b*c</code> here.</p>', 'Use `a_b*c` here.'],
    ['nothing is escaped', '<p>snake_case * 2 [x] 1. no</p>', 'snake_case * 2 [x] 1. no'],
    ['nested lists', '<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>', '- a\n  - b\n  - c\n- d'],
    ['numbered lists that begin elsewhere', '<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
    ['links', '<p>See <a href="https://example.org/x">this</a>.</p>', 'See [this](https://example.org/x).'],
    ['sup and sub', '<p>x<sup>2</sup> and a<sub>i</sub></p>', 'x^2 and a_i'],
    ['entities unescaped once', '<p>&amp;lt; is an entity &amp; &lt;b&gt; is not</p>', '&lt; is an entity & <b> is not'],
    ['spaces collapse outside fences', '<p>a   b\n c</p>', 'a b c'],
    ['images by their description', '<p><img src="x.png" alt="a graph"></p>', '[image: a graph]'],
    ['quotes', '<blockquote><p>said</p></blockquote>', '> said'],
    [
      'the "Possible Duplicate" note is dropped',
      '<blockquote>\n<p><strong>Possible Duplicate:</strong><br><a href="x">y</a></p></blockquote><p>Mine.</p>',
      'Mine.',
    ],
    ['scripts are dropped', '<script>alert(1)</script><p>ok</p>', 'ok'],
    ['plain text stays', 'no markup', 'no markup'],
  ])('%s', (_name, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  it.each([
    ['[this](https://example.org)', true],
    ['See https://example.org/a/b', true],
    ['See [this](https://example.org): it walks the list once and keeps the best.', false],
    ['No link here.', false],
  ])('link-only %j: %s', (markdown, expected) => {
    expect(isLinkOnly(markdown)).toBe(expected);
  });
});
