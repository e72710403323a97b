'use strict';
// A reporter of node:test, which turns what the real one says into cases. The
// process that runs the tests has it: see inprocess.js.

module.exports = async function* (events) {
  const names = [];
  for await (const { type, data } of events) {
    const { exam } = module.exports;
    const { report } = exam;
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const name = [...names.slice(0, data.nesting), data.name].join(' > ');
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    const error = data.details?.error;
    const cause = error?.cause ?? error;
    if (error?.failureType === 'subtestsFailed') continue;
    if (data.skip !== undefined || data.todo !== undefined) exam.skip(name, exam.choosing.option || exam.choosing.form || exam.choosing.call);
    else if (type === 'test:pass') report.add(name, 'passed');
    else report.add(name, 'failed', { message: typeof cause?.message === 'string' ? `${cause.name}: ${cause.message}` : String(cause) });
  }
  yield '';
};
module.exports.exam = null;
