#!/bin/sh
# Succeeds when the crew is greeted as the specification says.
set -eu
cd "$HOME/voyage/workspace"

is() {
  if [ "$1" != "$2" ]; then
    echo "got \"$1\", want \"$2\"" >&2
    exit 1
  fi
}

is "$(./greet.sh Ada)" 'Ahoy, Ada!'
is "$(./greet.sh)" 'Ahoy, sailor!'
is "$(./farewell.sh Ada)" 'Fair winds, Ada!'
is "$(grep -c 'Ada!' README.md)" 2
echo 'the crew is complete'
