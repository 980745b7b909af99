/** What Discord can do, as far as it is the same for every bot. */
import type { ChannelCapabilities } from '../../src/ports/channel.ts';
import { MAX_TEXT_LENGTH } from './outbound/message-body.ts';

const MIB = 1024 * 1024;

/** Until the application has been asked. */
export const UNCONNECTED: ChannelCapabilities = {
  hasThreads: true,
  hasDirectThreads: false,
  threadsAreNamedByMessage: true,
  hasCards: true,
  maxTextLength: MAX_TEXT_LENGTH,
  maxTitleLength: 100,
  showsTables: false,
  maxFileBytes: 10 * MIB,
  editIntervalMs: 2_000,
  readsUnmentioned: false,
  needsMention: true,
  threadLink: '<#{thread}>',
  owners: [],
};
