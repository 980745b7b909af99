/** Entry of the process: arguments in, exit code out. */
import { EXIT } from './cli/exit-codes.ts';
import { failureText } from './cli/failure.ts';
import { runProgram } from './cli/program.ts';

process.on('uncaughtException', (error) => {
  process.stderr.write(failureText(error));
  process.exit(EXIT.bug);
});

/** Whoever reads what is printed may leave; that is no reason to stop answering in chats. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/**
 * Timers do not keep the process alive, so that none of them can hold up its end. While a command is at work something
 * has to: an open port does, until the exit.
 */
new MessageChannel().port1.ref();

process.exit(await runProgram(process.argv.slice(2)));
