package policy

import "strings"

// matches reports whether a pattern matches a text. A star in the pattern stands for any
// run of characters, also an empty one; every other character stands for itself. The time
// is at most the product of both lengths.
func matches(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// covers reports whether upper matches all that lower matches. A star of lower can only
// be matched by a star of upper, so matching the pattern as a text decides.
func covers(upper, lower string) bool { return matches(upper, lower) }

func matchesAny(patterns []string, text string) bool {
	for _, p := range patterns {
		if matches(p, text) {
			return true
		}
	}
	return false
}

// imageForms are the spellings of one image: as given, in full, and as Docker shortens
// it. Without them a rule could be evaded by another spelling.
func imageForms(image string) []string {
	name, digest, _ := strings.Cut(image, "@")
	host, rest, ok := strings.Cut(name, "/")
	if !ok || !strings.ContainsAny(host, ".:") && !strings.EqualFold(host, "localhost") {
		host, rest = "docker.io", name
	}
	host = strings.ToLower(host)
	if host == "index.docker.io" || host == "registry-1.docker.io" || host == "registry.hub.docker.com" {
		host = "docker.io"
	}
	if host == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	repo, tag := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, '/') {
		repo, tag = rest[:i], rest[i:]
	}
	if tag == "" && digest == "" {
		tag = ":latest"
	}
	if digest != "" {
		digest = "@" + digest
	}
	short := host + "/" + repo
	if host == "docker.io" {
		short = strings.TrimPrefix(repo, "library/")
	}
	forms := []string{image}
	for _, base := range []string{host + "/" + repo, short} {
		forms = append(forms, base+tag+digest)
		if digest != "" {
			forms = append(forms, base+digest)
		}
	}
	return forms
}

// refusedForms are imageForms and the names without tag and digest: a rule that refuses
// a name refuses each version of the image.
func refusedForms(image string) []string {
	forms := imageForms(image)
	for _, f := range forms {
		name, _, _ := strings.Cut(f, "@")
		forms = append(forms, name)
		if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
			forms = append(forms, name[:i])
		}
	}
	return forms
}

// hasDigest reports whether an image is named by a whole SHA-256.
func hasDigest(image string) bool {
	_, digest, _ := strings.Cut(image, "@sha256:")
	return len(digest) == 64 && strings.Trim(digest, "0123456789abcdef") == ""
}
