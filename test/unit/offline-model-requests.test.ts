import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { understand } from '../../adapters/models/offline/requests.ts';
import { distinctLabels, labelFor } from '../../adapters/models/offline/topics.ts';

describe('the stand-in understands', () => {
  it.each<[string, readonly string[]]>([
    ['look into X in a thread', ['X']],
    ['LOOK INTO ocean tides IN A THREAD!', ['ocean tides']],
    ['Could you please look into the history of tea in a thread, please?', ['the history of tea']],
    ['@skein look into tides in its own thread', ['tides']],
    ['spawn a subagent in a thread to compare tea and coffee', ['compare tea and coffee']],
    ['spawn a sub-agent to compare tea in a new thread', ['compare tea']],
    ['spawn a subagent in a thread and have it look into bees', ['look into bees']],
    ['research ocean tides in a thread', ['ocean tides']],
    ['look into tides with a subagent in a thread', ['tides']],
    ['have a subagent look into bees in a thread', ['look into bees']],
    ['delegate bees to a subagent in a thread', ['bees']],
    ['in a thread, look into bees', ['bees']],
    ['open a thread and look into bees', ['bees']],
    ['look into salt and pepper in a thread', ['salt and pepper']],
    ['look into tides in a thread and tell me what you find', ['tides']],
    ['look into cats, dogs and birds in threads', ['cats', 'dogs', 'birds']],
    ['look into cats and dogs in a thread each', ['cats', 'dogs']],
    ['look into cats and dogs, each in its own thread', ['cats', 'dogs']],
    ['look into cats and dogs in two threads', ['cats', 'dogs']],
    ['spawn two subagents in threads to look into tea and coffee', ['look into tea', 'look into coffee']],
    ['look into tea in a thread:\n- green\n- black', ['tea\n- green\n- black']],
    [`look into this log in a thread\n${'line\n'.repeat(500)}end`, [`this log\n${'line\n'.repeat(500)}end`]],
    ['look into tea in a thread and look into coffee in a thread', ['tea', 'coffee']],
  ])('"%s" as work for a thread', (text, tasks) => {
    expect(understand(text)).toEqual({ kind: 'spawn', tasks, isInThread: true });
  });

  it.each<[string, readonly string[]]>([
    ['look into ocean tides', ['ocean tides']],
    ['spawn a subagent to write a haiku', ['write a haiku']],
    ['look into memory leaks in a thread pool', ['memory leaks in a thread pool']],
    ['research cats and dogs separately', ['cats', 'dogs']],
    ['spawn 3 subagents to test it', ['test it (1 of 3)', 'test it (2 of 3)', 'test it (3 of 3)']],
    ['spawn 2 subagents to look into tea and coffee', ['look into tea', 'look into coffee']],
  ])('"%s" as work without a thread', (text, tasks) => {
    expect(understand(text)).toEqual({ kind: 'spawn', tasks, isInThread: false });
  });

  it.each([
    ['report', 'report'],
    ['Status?', 'report'],
    ['what have you found so far?', 'report'],
    ['summary please', 'report'],
    ['summarise', 'report'],
    ['go on', 'go-on'],
    ['Please continue.', 'go-on'],
    ['hello', 'greeting'],
    ['Hi there!', 'greeting'],
    ['help', 'help'],
    ['', 'help'],
    ['spawn a subagent', 'spawn-without-task'],
    ['spawn a subagent in a thread', 'spawn-without-task'],
    ['what is the capital of France?', 'other'],
    ['how do I look into a thread dump?', 'other'],
  ])('"%s" as %s', (text, kind) => {
    expect(understand(text).kind).toBe(kind);
  });

  it('"ask <label> to go on" as words for that subagent', () => {
    expect(understand('Ask ocean tides to go on, please')).toEqual({
      kind: 'tell',
      label: 'ocean tides',
      message: 'go on',
    });
  });

  it('any text at all, in no time', () => {
    const word = fc.constantFrom(
      'look into',
      'spawn',
      'a',
      '3',
      'subagents',
      'in',
      'threads',
      'and',
      ',',
      '  ',
      '\n',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 60 }).map((all) => all.join(' ')),
        ),
        (text) => {
          expect(understand(text).kind).toBeTypeOf('string');
        },
      ),
    );
    const startedAt = performance.now();
    for (const part of [
      'look into a and ',
      ' ',
      'in a thread ',
      'please ',
      ', each ',
      'ask ',
      '\n',
      'a to ',
    ]) {
      understand(`look into ${part.repeat(50_000)}`);
      understand(`${part.repeat(50_000)}.`);
    }
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('a label', () => {
  it.each([
    ['look into the tides of the North Sea', 'tides of the North Sea'],
    ['X', 'X'],
    ['`code` and more.\nParticulars', 'code and more'],
    ['...', 'task'],
  ])('of "%s" is "%s"', (topic, label) => {
    expect(labelFor(topic)).toBe(label);
  });

  it('is at most 40 characters, cut between words where there are any', () => {
    expect(labelFor('how the tides of the North Sea shape the coast of Denmark')).toBe(
      'how the tides of the North Sea shape the',
    );
    expect(labelFor('x'.repeat(100))).toHaveLength(40);
  });

  it('differs from its siblings', () => {
    const labels = distinctLabels(['tea', 'Tea', 'x'.repeat(80), 'x'.repeat(90)]);
    expect(new Set(labels.map((label) => label.toLowerCase())).size).toBe(4);
    expect(labels.every((label) => label.length <= 40)).toBe(true);
  });
});
