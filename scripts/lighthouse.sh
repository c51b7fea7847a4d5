#!/usr/bin/env bash
# Measures every page with Lighthouse, as on a phone and as on a desktop. Prints a line for each, with points of 100:
#   page preset performance accessibility best-practices
# Fails where performance or accessibility has fewer than 98, and names what costs points there. The whole reports
# stay in Cargo's folder, in lighthouse/reports. It takes ten minutes; other work on the machine costs points.
# Usage: scripts/lighthouse.sh [PAGES]; PAGES is a regular expression, such as '^/account'
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

# The newest that runs on the Node.js of Debian 12.
lighthouse=12.8.2
puppeteer=24.43.1
browsers='chromium|chromium-browser|google-chrome'
need npm "Lighthouse" npm
need node "Lighthouse" nodejs
need "$browsers" "Lighthouse" chromium chromium-browser
tools=$target/lighthouse
npm install --prefix "$tools" --ignore-scripts "lighthouse@$lighthouse" \
    "puppeteer-core@$puppeteer"

port=$(free_port) url=http://127.0.0.1:$port
export CTXMEM_DATABASE_URL="sqlite://$folder/ctxmem.db" CTXMEM_PUBLIC_URL=$url
start server "$url" "$server" --listen "127.0.0.1:$port" --rate-limit 0
# What the first start has created.
key=$(grep --only-matching --max-count 1 'ctxm_[A-Za-z0-9_-]*' "$folder/server.log" | head -1)
agent=$(sed -n 's/^ *agent .*, //p' "$folder/server.log")

for n in $(seq 20); do
    for said in "I am learning language $n." "My goal is to swim $n km." "I visited town $n in the mountains."; do
        curl --silent --show-error --fail --output /dev/null --header "Authorization: Bearer $key" \
            --json "{\"userId\": \"ada\", \"userMessage\": \"$said\", \"agentResponse\": \"Noted.\"}" \
            "$url/api/context/update"
    done
done
# It has no access yet, so its page asks for it.
asking=$("$server" agent create --name Asking | grep --only-matching --extended-regexp '[0-9a-f-]{36}')
link=$("$server" user sign-in-link ada | grep --only-matching 'http.*token=.*')
password=$(head --bytes 18 /dev/urandom | base64)
"$server" developer set-password --email developer@localhost <<< "$password" > "$folder/password.log"

browser=$(IFS='|' && type -P $browsers | head -1) || true
rm -rf "$tools/reports" && mkdir "$tools/reports"
export url agent asking link password browser pages=${1:-}
# Node.js looks for packages from the folder that it runs in.
cd "$tools"
node --input-type=module - << 'EOF'
import { writeFileSync } from "node:fs";
import lighthouse, { desktopConfig } from "lighthouse";
import puppeteer from "puppeteer-core";
const { url, agent, asking, link, password, browser: executablePath, pages } = process.env;
const onlyCategories = ["performance", "accessibility", "best-practices"];
// Root can't have Chromium's sandbox.
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
// Each with cookies of their own.
const [nobody, user, developer] = await Promise.all([1, 2, 3].map(() => browser.createBrowserContext()));
const submit = (page) => Promise.all([page.waitForNavigation(), page.$eval("main form", (form) => form.submit())]);
const points = (report, name) => Math.round(report.categories[name].score * 100);
const speed = (report) => points(report, "performance");

async function measure(person, path, preset) {
    const reports = [];
    let failures = 0;
    // The median of three runs; of two that agree it is known without a third.
    while (reports.length < 2 || (reports.length < 3 && speed(reports[0]) !== speed(reports[1]))) {
        const page = await person.newPage();
        // What is shown to whoever is signed out has the status 401.
        const flags = { onlyCategories, ignoreStatusCode: person === nobody };
        const { lhr } = await lighthouse(url + path, flags, preset === "desktop" ? desktopConfig : undefined, page);
        await page.close();
        // Now and then a recording lacks its beginning.
        if (!lhr.runtimeError) reports.push(lhr);
        else if (++failures === 5) throw new Error(`${path}: ${lhr.runtimeError.message}`);
    }
    const median = reports.sort((a, b) => speed(a) - speed(b))[1];
    const name = path.replace(agent, "ID").replace(asking, "AGENT").replace(/=.*/, "=…");
    writeFileSync(`reports/${name.replace(/\W+/g, "-")}-${preset}.json`, JSON.stringify(median));
    console.log(name, preset, ...onlyCategories.map((category) => points(median, category)));
    for (const category of ["performance", "accessibility"].filter((category) => points(median, category) < 98)) {
        process.exitCode = 1;
        const audits = median.categories[category].auditRefs.filter(({ weight }) => weight > 0);
        for (const { score, id, title, displayValue } of audits.map(({ id }) => median.audits[id])) {
            if (score !== null && score < 1) console.log(`    ${id}: ${displayValue ?? title}`);
        }
    }
}

const page = await user.newPage();
await page.goto(link);
await submit(page);
await page.goto(`${url}/account/facts`);
const edit = await page.$eval('a[href*="/facts/edit?"]', (found) => found.getAttribute("href"));
const form = await developer.newPage();
await form.goto(`${url}/dashboard`);
await form.type("input[name=email]", "developer@localhost");
await form.type("input[name=password]", password);
await submit(form);
const under = (path, names) => names.map((name) => path + name);
for (const [person, paths] of [
    [nobody, ["/", "/about", "/api/docs", "/account?signed-out", "/dashboard?signed-out"]],
    [user, [...under("/account", ["", "/facts", "/apps", "/history", "/data", "/erase"]), edit, `/consent/${asking}`]],
    [developer, under("/dashboard", ["", `/agents/${agent}`, "/playground", "/team", "/settings"])],
]) {
    for (const path of paths.filter((path) => path.match(pages))) {
        for (const preset of ["mobile", "desktop"]) await measure(person, path, preset);
    }
}
await browser.close();
EOF
