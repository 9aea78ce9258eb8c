// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs models on LiteRT.js (npm package @litertjs/core) in headless Chromium. The browser loads
// litert.html from a server in this process and posts the results to it.

import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

const types = {'.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm',
               '.html': 'text/html'};

/** Without any sign of life for this long the browser is taken to hang. */
const patienceMs = 300_000;

/**
 * What LiteRT computes: for each name of `files` (name: path) the inputs, the values of all outputs
 * and the median of the times, or an error. `modules` is a folder with node_modules/@litertjs/core.
 */
export function runOnLiteRt(files, modules, chromium) {
    const own = path.dirname(new URL(import.meta.url).pathname);
    const results = {};
    return new Promise((resolve, reject) => {
        const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'nnburst-litert-'));
        let browser;
        let timer;
        const end = (error) => {
            clearTimeout(timer);
            server.close();
            server.closeAllConnections();
            browser?.kill();
            browser?.on('exit', () => fs.rmSync(profile, {recursive: true, force: true}));
            error ? reject(error) : resolve(results);
        };
        const watch = () => {
            clearTimeout(timer);
            timer = setTimeout(() => end(new Error('the browser does not answer')), patienceMs);
        };
        const server = http.createServer((request, response) => {
            watch();
            const [, kind, ...rest] = decodeURIComponent(request.url).split('/');
            const name = rest.join('/');
            if (request.method === 'POST') {
                const parts = [];
                request.on('data', (part) => parts.push(part));
                request.on('end', () => {
                    const body = Buffer.concat(parts).toString();
                    response.end();
                    if (kind === 'end') {
                        end();
                    } else {
                        results[name] = kind === 'result' ? JSON.parse(body) : {error: body};
                    }
                });
                return;
            }
            const file = kind === 'models'         ? null
                         : kind === 'model'        ? files[name]
                         : kind === 'node_modules' ? path.join(modules, kind, path.normalize('/' + name))
                                                   : path.join(own, path.basename(kind));
            if (file === null) {
                response.end(JSON.stringify(Object.keys(files)));
            } else if (file === undefined || !fs.existsSync(file)) {
                response.writeHead(404).end();
            } else {
                response.writeHead(200, {'Content-Type': types[path.extname(file)] ?? 'application/octet-stream'});
                fs.createReadStream(file).pipe(response);
            }
        });
        server.listen(0, '127.0.0.1', () => {
            watch();
            browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu',
                                       `--user-data-dir=${profile}`,
                                       `http://127.0.0.1:${server.address().port}/litert.html`],
                            {stdio: 'ignore'});
            browser.on('error', end);
        });
    });
}
