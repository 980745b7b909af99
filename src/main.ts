/** Entry of the process: arguments in, exit code out. */

import { EXIT } from './cli/exit-codes.ts';
import { failureText } from './cli/failure.ts';
import { runProgram } from './cli/program.ts';

process.on('uncaughtException', (error) => {
  process.stderr.write(failureText(error));
  process.exit(EXIT.bug);
});

process.exit(await runProgram(process.argv.slice(2)));
