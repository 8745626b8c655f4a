package e2e

// leakyAgent is an agent that prints its key wherever it can: in its output, its errors, the summary of its work, and
// the reason of its end.
const leakyAgent = `#!/bin/bash
cat >/dev/null
printf '{"type":"say","text":"my key is %s"}\n' "$CODER_KEY"
echo "a word that is no JSON: $CODER_KEY"
echo "complaint of $CODER_KEY" >&2
[ -e ~/failed ] || { touch ~/failed; echo "cannot log in with $CODER_KEY" >&2; exit 3; }
out=$(ocaptain task claim) || exit 0
id=${out#claimed task }
id=${id%%:*}
tr A-Za-z N-ZA-Mn-za-m <<<"$CODER_KEY" >"file-$id"
until ocaptain task complete "$id" --summary "done with $CODER_KEY"; do touch checked; done
`
