/**
 * What people are told when a run did not succeed: made from the code alone, never from an error's own message, which may
 * hold anything.
 */
const WORDS: Record<string, string> = {
  auth: 'The model provider did not accept the key. The person who runs this bot can check it and start again.',
  billing:
    'The model provider says that the account is out of credit. The person who runs this bot can add some or choose another model.',
  'model-not-found':
    'The model provider does not know the model that is configured. The person who runs this bot can choose another one.',
  'no-model':
    'There is no model to ask: its server is not running, has none installed, or is not set up. The log of the bot says which; the person who runs it can put that right.',
  'context-exceeded':
    'This conversation has grown too long for the model. Please go on in a new thread or channel.',
  'invalid-request': 'The model provider refused the request. The log of the bot says why.',
  'rate-limit':
    'The model provider is limiting how often it may be asked. Please try again in a little while.',
  overload: 'The model provider is overloaded. Please try again in a little while.',
  timeout: 'The model did not answer in time. Please try again.',
  network: 'The model provider could not be reached. Please try again.',
  server: 'The model provider had an error of its own. Please try again.',
  'run-timeout': 'It ran out of time and was stopped.',
  'too-many-steps': 'It took too many steps and was stopped.',
  interrupted:
    'It was interrupted three times at the same step and was given up. What it did last may or may not have had an effect.',
  cancelled: 'It was stopped.',
  'thread-failed': 'Its thread could not be opened.',
};

export function failureText(code: string): string {
  return (
    (Object.hasOwn(WORDS, code) ? WORDS[code] : undefined) ??
    'Something went wrong. The log of the bot says what.'
  );
}

/** How a failed run speaks up where its reply was expected. */
export function failureReply(code: string): string {
  return `I could not answer this. ${failureText(code)}`;
}

/** The sentence with what a platform says is to be done about it, where it says so. */
export function withHint(sentence: string, error: { readonly hint?: string } | undefined): string {
  return error?.hint === undefined ? sentence : `${sentence} ${error.hint}`;
}
