#!/bin/sh
# Succeeds when the almanac is complete: it runs what was built and compares.
cd "$HOME/voyage/workspace" || exit 1
wrong=0
fail() {
  echo "verify: $*" >&2
  wrong=1
}

for file in README.md VERSION MANIFEST almanac.conf site/style.css \
  lib/page.sh lib/rows.awk tests/is.sh tests/run.sh tables/moon tables/springs; do
  [ -s "$file" ] || fail "$file is missing"
done
for command in section tides moon harbor; do
  [ -x "bin/$command" ] || fail "bin/$command cannot be run"
done
[ "$wrong" = 0 ] || exit 1
. ./almanac.conf

for test in calendar tide moon links; do
  [ -s "tests/$test.test.sh" ] || fail "tests/$test.test.sh is missing"
done
for section in Calendar Tides Moon Pages Use; do
  grep -qx "## $section" README.md || fail "README.md has no section $section"
done
[ "$(wc -l < tables/springs)" -eq "$(($(wc -l < tables/moon) * 4))" ] || fail 'tables/springs is not complete'
[ "$(grep -c '<tr>' site/springs.html)" -eq "$(wc -l < tables/springs)" ] || fail 'site/springs.html does not show tables/springs'
[ "$(grep -c '<tr>' site/moon.html)" -eq "$(wc -l < tables/moon)" ] || fail 'site/moon.html does not show tables/moon'
[ "$(grep -c '<li>' site/index.html)" = 6 ] || fail 'site/index.html does not list six pages'
find README.md VERSION almanac.conf bin data lib site tables tests -type f | LC_ALL=C sort | xargs cksum | cmp -s - MANIFEST || fail 'MANIFEST does not describe the files'
! grep -q 'To be written' README.md || fail 'README.md is not finished'
[ "$wrong" = 0 ] || exit 1

sh tests/run.sh || fail 'the tests do not pass'
for port in brest dover esbjerg lisbon; do
  bin/tides "$port" "$YEAR" | cmp -s - "tables/$port" || fail "tables/$port is not what bin/tides prints"
  bin/harbor "$port" | cmp -s - "site/$port.html" || fail "site/$port.html is not what bin/harbor prints"
  [ "$(wc -l < "tables/$port")" -gt 1300 ] || fail "tables/$port has too few waters"
done
bin/moon "$YEAR" | cmp -s - tables/moon || fail 'tables/moon is not what bin/moon prints'
[ "$wrong" = 0 ] && echo "the almanac of $YEAR is complete"
