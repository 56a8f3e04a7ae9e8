// Package fetch downloads a URL from an untrusted source, such as a model or a stranger in a chat, and protects
// against server-side request forgery (SSRF). Such a URL may point to the machine itself, to its local network, or to
// a cloud's metadata service.
//
//	pictures, err := fetch.New(fetch.Options{})
//	…
//	file, err := pictures.Get(ctx, url)
//
// # Checks
//
// Get refuses URLs with a scheme other than http and https, with a user or a zone, or with a port other than 80 and
// 443. It refuses hosts that are numbers, except plain IP addresses, and addresses that are not public: see [IsPublic].
// It looks up a host once, checks all of its addresses, and dials a checked one. The socket is checked again before
// it connects. All checks apply to each redirect.
//
// Get limits the size, the time from the first look-up to the last byte, and the media type. Both the Content-Type
// header and the first bytes must match. [ReadImage] checks the first bytes of local files.
//
// Get uses no proxy, cookies, credentials or referrer, and reads no environment variables.
//
// # Concurrency
//
// All methods of a [Fetcher] may be called concurrently.
package fetch
