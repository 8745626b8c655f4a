package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// yarn is Yarn's public name for npm's registry. It does not matter who serves a package, since its digest is known.
const yarn = "https://registry.yarnpkg.com"

// address returns the URL of the archive. The URL of a package follows from npm's registry.
func (a Archive) address() (*url.URL, error) {
	if a.Address != "" {
		return parse(a.Address, "the address of "+a.String())
	}
	registry, err := registry()
	if err != nil {
		return nil, err
	}
	return registry.JoinPath(a.Name, "-", path.Base(a.Name)+"-"+a.Version+".tgz"), nil
}

// registry returns the URL of the registry that npm uses: from the environment, else from ~/.npmrc.
func registry() (*url.URL, error) {
	for _, name := range []string{"npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v := os.Getenv(name); v != "" {
			return parse(v, name)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("home directory: %w", err)
	}
	file := filepath.Join(home, ".npmrc")
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return parse(yarn, "registry")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := yarn
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && strings.TrimSpace(key) == "registry" {
			found = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return parse(found, "registry in "+file)
}

// parse parses a URL that comes from from. A malformed URL may contain a password, so the error does not show it.
func parse(text, from string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("%s must be an address like %s", from, yarn)
	}
	return u, nil
}
