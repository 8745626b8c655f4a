package agent

import (
	"fmt"
	"regexp"
)

// npmPackage is where a program comes from, and the version that was seen to work.
type npmPackage struct {
	name, version, bin string
	scripts            bool // it is not complete before its install script has run
}

// npmAgent completes an agent that takes turns and comes from npm.
func npmAgent(a Agent, p npmPackage) Agent {
	a.Turns = true
	a.Finishes = true
	a.Version = []string{p.bin, "--version"}
	a.Check = func(output string) error { return checkAny(a.Name, output) }
	a.Install = func(machine string) (string, error) { return installNPM(a.Name, machine, p) }
	return a
}

func nothing(Setup) error { return nil }

var someVersion = regexp.MustCompile(`\d+\.\d+`)

// checkAny takes every version: these programs are called by flags that they document,
// and no hook of ours depends on how they work inside.
func checkAny(name, output string) error {
	if !someVersion.MatchString(output) {
		return fmt.Errorf("%s does not tell its version but %.80q", name, output)
	}
	return nil
}

// installNPM finds the package where the hub keeps agents for the ships on it, or has npm
// fetch it, and puts the program where the runner looks first.
func installNPM(name, machine string, p npmPackage) (string, error) {
	if machine != "x86_64" && machine != "aarch64" {
		return "", fmt.Errorf("there is no %s for machines of type %.40q", name, machine)
	}
	flag := " --ignore-scripts"
	if p.scripts {
		flag = ""
	}
	return fmt.Sprintf(`set -eu
name=%[1]s version=%[2]s bin=node_modules/.bin/%[3]s
shared=${OCAPTAIN_AGENTS:-/nonexistent}
own=$HOME/.ocaptain/agents
mkdir -p "$HOME/.ocaptain/bin"
for root in "$shared" "$own"; do
	if [ -x "$root/$name/$version/$bin" ]; then
		ln -sfn "$root/$name/$version/$bin" "$HOME/.ocaptain/bin/%[3]s"
		exit 0
	fi
done
if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null; then
	echo "$name needs npm and Node.js 20 or newer: install them, or put $name on the PATH" >&2
	exit 1
fi
[ -w "$shared" ] && own=$shared
mkdir -p "$own/$name"
part=$(mktemp -d "$own/$name/part.XXXXXX")
trap 'rm -rf "$part"' EXIT
chmod 755 "$part"
cd "$part"
echo '{"private":true}' >package.json
npm install --no-audit --no-fund%[5]s --loglevel=error "%[4]s@$version" >&2
"$bin" --version >/dev/null
rm -rf "$own/$name/$version"
mv "$part" "$own/$name/$version"
ln -sfn "$own/$name/$version/$bin" "$HOME/.ocaptain/bin/%[3]s"
`, name, p.version, p.bin, p.name, flag), nil
}
