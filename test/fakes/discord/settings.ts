/** The numbers that Discord fixes or changes by itself; tests may change each of them at any time. */
export interface Settings {
  /** How long an enforced nonce is remembered. */
  nonceWindowMs: number;
  /** How long after an interaction its first answer is taken; later ones get 10062. */
  interactionDeadlineMs: number;
  /** How long an interaction's token works; later calls get 50027. */
  interactionTokenLifeMs: number;
  /** Threads of a guild that may be open at once; one more gets 160006. */
  activeThreadCap: number;
  /** New commands a day, globally or in each guild; one more gets 30034. */
  commandCreatesPerDay: number;
  /** What `GET /gateway/bot` advises. */
  recommendedShards: number;
  maxConcurrency: number;
  /** How long identifies of one rate-limit key must lie apart, beyond `maxConcurrency`; 0 takes them all. */
  identifyIntervalMs: number;
  /** Identifies a day; what is left is in `GET /gateway/bot`. */
  identifyLimit: number;
  heartbeatIntervalMs: number;
  /** False: heartbeats are not acknowledged, as on a dead connection. */
  answersHeartbeats: boolean;
  maxFileBytes: number;
  maxRequestBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_SETTINGS: Settings = {
  nonceWindowMs: 300_000,
  interactionDeadlineMs: 3_000,
  interactionTokenLifeMs: 900_000,
  activeThreadCap: 1_000,
  commandCreatesPerDay: 200,
  recommendedShards: 1,
  maxConcurrency: 1,
  identifyIntervalMs: 0,
  identifyLimit: 1_000,
  heartbeatIntervalMs: 41_250,
  answersHeartbeats: true,
  maxFileBytes: 10 * MIB,
  maxRequestBytes: 25 * MIB,
};
