/** How hard a model may be told to think, from not at all to as hard as it can. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
