import { defineConfig } from 'vitest/config';

/**
 * Four suites, by what they need: unit (nothing), contract (a port and every implementation of it), e2e (the product
 * in processes of its own) and browser (the page in a real Chromium).
 */
const suite = (name: string, include: string[], timeoutMs: number) => ({
  test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, environment: 'node' as const },
});

export default defineConfig({
  test: {
    projects: [
      suite('unit', ['test/unit/**/*.test.ts', 'test/architecture.test.ts'], 10_000),
      suite('contract', ['test/contract/**/*.test.ts'], 30_000),
      suite('e2e', ['test/e2e/**/*.test.ts'], 120_000),
      suite('browser', ['test/browser/**/*.test.ts'], 120_000),
    ],
  },
});
