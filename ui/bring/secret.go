package bring

import (
	"path"
	"slices"
	"strings"

	"ocaptain/tasks/pattern"
)

// maxScan bounds how much of a file is searched for secrets, in bytes.
const maxScan = 1 << 20

// secretNames are names of files that usually hold secrets, as patterns of path.Match in lower case.
var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc", ".dev.vars", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.p8",
	"id_*", "*credential*", "*secret*", "*password*", "*token*", "*service*account*.json", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*",
	".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg", "kubeconfig", "*.kubeconfig", ".vault*",
}

// exampleNames are names of files that only show the form of such a file.
var exampleNames = []string{"*.example", "*.sample", "*.template", "*.dist", "*.pub"}

// secretForms are the forms of secrets, with their names.
var secretForms = []struct {
	what string
	form func(string) bool
}{
	{"a private key", form(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`)},
	{"a token of GitHub", form(`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`)},
	{"a token of GitLab", form(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"a key of AWS", form(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a key of Anthropic", form(`\bsk-ant-[A-Za-z0-9_-]{16,}`)},
	{"a key of OpenAI or Stripe", form(`\b[sr]k[-_](live_|test_|proj-)?[A-Za-z0-9_-]{20,}`)},
	{"a token of Slack", form(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`)},
	{"a key of Google", form(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"a token of npm", form(`\bnpm_[A-Za-z0-9]{36}`)},
	{"a JSON web token", form(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.`)},
	{"a password in an address", form(`[a-z][a-z0-9+.-]*://[^\s/:@"']+:[^\s/@"']+@`)},
	{"a value named like a secret", form(`(?i)(password|passwd|secret|token|api_?key|private_?key)[A-Za-z0-9_]*["']?\s*[:=]\s*["']?[^\s"'$<{]{6,}`)},
}

func form(expr string) func(string) bool {
	compiled := pattern.New(expr)
	return func(text string) bool { return compiled().MatchString(text) }
}

// secret returns why a file looks like a secret, "" when it does not.
func secret(name string, head []byte) string {
	text := string(head)
	for _, s := range secretForms {
		if s.form(text) {
			return "secret, it has " + s.what
		}
	}
	if isNamed(name, secretNames) && !isNamed(name, exampleNames) {
		return "secret by its name"
	}
	return ""
}

// isNamed reports whether the last part of a path, in lower case, matches one of the names.
func isNamed(name string, names []string) bool {
	name = strings.ToLower(path.Base(name))
	return slices.ContainsFunc(names, func(n string) bool {
		ok, _ := path.Match(n, name)
		return ok
	})
}
