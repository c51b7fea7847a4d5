#!/usr/bin/env bash
# The samples of proxies in deploy/, in front of a server, all on loopback: both pass their own
# checker, whose attempts to sign in are counted can't be forged through them, and long requests and
# answers pass: what is too large is refused by the server in its own words.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

need openssl "a certificate for nginx" openssl
unpack nginx "the sample of nginx" nginx
unpack caddy "the sample of Caddy" caddy

# A server of its own for each proxy: it counts the attempts of all.
start_server() {
    local port=$1
    mkdir "$folder/$port"
    start "server-$port" "http://127.0.0.1:$port" "$server" --listen "127.0.0.1:$port" \
        --database-url "sqlite://$folder/$port/ctxmem.db" --trusted-proxy 127.0.0.1
}

# guess URL FROM FORGED: the status of a guess at a password from one address of this machine, by a
# client that says it is another.
guess() {
    curl --silent --insecure --output /dev/null --write-out '%{http_code}' --interface "$2" \
        --header "X-Forwarded-For: $3" --data 'email=ann@example.com&password=wrong+horse' \
        "$1/dashboard/sign-in"
}

# inject URL BYTES: into a base prompt of so many bytes.
inject() {
    {
        printf '{"userId": "ada", "basePrompt": "'
        head --bytes "$2" /dev/zero | tr '\0' a
        printf '"}'
    } | curl --silent --insecure --header 'Content-Type: application/json' --data-binary @- \
        --header "Authorization: Bearer $(key)" "$1/api/context/inject" > "$folder/answer"
}

# check NAME URL
check() {
    local name=$1 url=$2 number status
    for number in $(seq 10); do
        status=$(guess "$url" 127.0.1.1 "203.0.$number.7")
        [ "$status" = 401 ] || fail "$name: guess $number was answered $status"
    done
    status=$(guess "$url" 127.0.1.1 203.0.99.7)
    [ "$status" = 429 ] || fail "$name: a client that forges its address guesses on ($status)"
    status=$(guess "$url" 127.0.2.1 127.0.1.1)
    [ "$status" = 401 ] || fail "$name: a client pays for the guesses of another ($status)"
    inject "$url" 1000000
    grep --quiet '"injectedPrompt":' "$folder/answer" ||
        fail "$name: an inject of 1 MB fails: $(head --bytes 300 "$folder/answer")"
    inject "$url" 1500000
    grep --quiet '"code":"BAD_REQUEST"' "$folder/answer" ||
        fail "$name: a body of 1.5 MB is not refused by the server: $(head --bytes 300 "$folder/answer")"
    echo "proxies.sh: $name: passed"
}

# The key that the last server printed at its first start.
key() {
    grep --only-matching --max-count 1 'ctxm_[A-Za-z0-9_-]*' "$folder/server-$behind.log" | head -1
}

nginx() {
    local listen plain
    behind=$(free_port) listen=$(free_port) plain=$(free_port)
    start_server "$behind"
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=memory.example.com \
        -keyout "$folder/privkey.pem" -out "$folder/fullchain.pem" 2> /dev/null
    sed -e "s|/etc/letsencrypt/live/memory.example.com|$folder|" \
        -e "s|/var/log/nginx|$folder|" \
        -e "s|127.0.0.1:8080|127.0.0.1:$behind|" \
        -e '/listen \[::\]/d' \
        -e "s|listen 80;|listen 127.0.0.1:$plain;|" \
        -e "s|listen 443 ssl;|listen 127.0.0.1:$listen ssl;|" deploy/nginx.conf > "$folder/site"
    cat > "$folder/nginx.conf" << END
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log $folder/nginx-error.log;
events {}
http {
    client_body_temp_path $folder/body;
    proxy_temp_path $folder/proxy;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
    include $folder/site;
}
END
    local program
    program=$(type -P nginx)
    local flags=(-p "$folder" -e "$folder/nginx-error.log" -c "$folder/nginx.conf")
    "$program" "${flags[@]}" -t -q
    start nginx "https://127.0.0.1:$listen" "$program" "${flags[@]}"
    check nginx "https://127.0.0.1:$listen"
}

# Caddy gets no certificate here, so it is asked without TLS.
caddy() {
    local listen
    behind=$(free_port) listen=$(free_port)
    start_server "$behind"
    command caddy validate --adapter caddyfile --config deploy/Caddyfile 2> "$folder/caddy.log" > /dev/null ||
        fail "caddy validate"
    # Its first line in braces is that of the global options.
    sed -e '0,/^{$/s//{\n\tadmin off/' \
        -e "s|^memory.example.com|http://127.0.0.1:$listen|" \
        -e "s|127.0.0.1:8080|127.0.0.1:$behind|" deploy/Caddyfile > "$folder/Caddyfile"
    export XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder
    start caddy "http://127.0.0.1:$listen" "$(type -P caddy)" run --adapter caddyfile --config "$folder/Caddyfile"
    check caddy "http://127.0.0.1:$listen"
}

nginx
caddy
