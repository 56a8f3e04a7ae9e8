package fetch

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newFetcher(t testing.TB, o Options) *Fetcher {
	f, err := New(o)
	require.NoError(t, err)
	return f
}

func TestCheck_URLs(t *testing.T) {
	f := newFetcher(t, Options{})
	for _, good := range []string{
		"http://example.com/a.png", "https://example.com", "HTTPS://EXAMPLE.com:443/?q=1#x", "http://example.com:80/",
		"http://a_b.example.com./猫.png", "https://multimedia.nt.qq.com.cn/download?rkey=x%2Fy", "http://xn--fiqs8s.cn/",
		"http://8.8.8.8/", "http://[2606:4700:4700::1111]/", "http://1.example.com/", "http://example.com/@127.0.0.1",
		"http://" + strings.Repeat("a", 63) + ".com/", "http://" + strings.Repeat("a.", 125) + "com/", "http://example.com/" + strings.Repeat("a", maxURL-19),
	} {
		u, err := f.check(good)
		if assert.NoError(t, err, good) {
			assert.Empty(t, u.Fragment)
		}
	}
	for _, bad := range []string{
		"", "/a.png", "//example.com/a.png", "example.com/a.png", "file:///etc/passwd", "ftp://example.com/", "gopher://example.com/",
		"data:image/png;base64,AAAA", "javascript:alert(1)", "http:example.com", "http:/example.com", "http://", "http:///a", "http://:80/",
		"http://user@example.com/", "http://user:pw@example.com/", "http://@example.com/", "http://127.0.0.1@example.com/",
		"http://example.com:22/", "http://example.com:8080/", "http://example.com:0/", "http://example.com:/", "http://example.com:080/",
		"http://example.com:65616/", "http://example.com:-80/", "http://example.com:+80/",
		"http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/", "http://0.0.0.0/", "http://2130706433/", "http://0x7f000001/",
		"http://0x7f.1/", "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://127.0.0.1.:80/", "http://1.1.1.1./",
		"http://127.0.0.0x1/", "http://127。0。0。1/", "http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://%31%32%37.0.0.1/",
		"http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://100.64.0.1/", "http://100.100.100.200/",
		"http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://192.0.0.192/", "http://198.18.0.1/", "http://224.0.0.1/",
		"http://255.255.255.255/", "http://240.0.0.1/",
		"http://[::]/", "http://[::1]/", "http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
		"http://[::ffff:8.8.8.8]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::8.8.8.8]/", "http://[64:ff9b:1::1]/",
		"http://[2002:7f00:1::]/", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/",
		"http://[fe80::1%eth0]/", "http://[2606:4700::1%25eth0]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
		"http://[fec0::1]/", "http://[2001:db8::1]/", "http://[100::1]/", "http://[::1/", "http://[example.com]/", "http://[127.0.0.1]/", "http://[]/",
		"http://example..com/", "http://.example.com/", "http://exa mple.com/", "http://exa\tmple.com/", "http://exa\x00mple.com/",
		"http://exa\r\nmple.com/", "http://例子.中国/", "http://example.com\\@127.0.0.1/", "http://example.com%00/", "http://127.0.0.1%2f@example.com/",
		"http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 125) + "come/", "http://example.com/" + strings.Repeat("a", maxURL-18),
	} {
		_, err := f.check(bad)
		if assert.ErrorIs(t, err, ErrURL, bad) {
			assert.NotContains(t, err.Error(), "127.0.0.1", "errors quote nothing")
		}
	}
	own := newFetcher(t, Options{Ports: []int{8080}})
	_, err := own.check("http://example.com:8080/")
	assert.NoError(t, err)
	_, err = own.check("http://example.com:80/")
	assert.ErrorIs(t, err, ErrURL)
}

func TestIsPublic(t *testing.T) {
	for _, s := range []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "223.5.5.5", "2606:4700::1", "240e::1", "2408:8000::1"} {
		assert.True(t, IsPublic(netip.MustParseAddr(s)), s)
	}
	for _, s := range []string{
		"0.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.0",
		"172.31.255.255", "192.0.2.1", "192.168.0.0", "198.19.255.255", "224.0.0.251", "239.255.255.250", "255.255.255.255",
		"::", "::1", "::ffff:1.1.1.1", "::1.1.1.1", "64:ff9b::101:101", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:101:101::1",
		"3fff::1", "4000::1", "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "ff02::1",
	} {
		assert.False(t, IsPublic(netip.MustParseAddr(s)), s)
	}
	assert.False(t, IsPublic(netip.Addr{}))
}

// FuzzURL checks that an accepted URL has a public address or a name, no user and no zone, and an allowed port and
// scheme, also after parsing it again.
func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"http://example.com/a.png", "https://u:p@example.com:443/", "http://[::ffff:127.0.0.1]:80/", "http://[fe80::1%25eth0]/",
		"http://127.1/", "http://0x7f.1", "http://example.com:8080\\@x/", "http://１２７.0.0.1/", "http:example.com", "HTTP://[2606:4700::1]:/#",
	} {
		f.Add(s)
	}
	fetcher := newFetcher(f, Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := fetcher.check(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrURL)
			return
		}
		for _, u := range []*url.URL{u, parse(t, u.String())} {
			require.Contains(t, []string{"http", "https"}, u.Scheme)
			require.Contains(t, []string{"", "80", "443"}, u.Port())
			require.Nil(t, u.User)
			require.NotContains(t, u.Host, "%")
			require.NotContains(t, u.Host, "@")
			if a, err := netip.ParseAddr(u.Hostname()); err == nil {
				require.True(t, IsPublic(a), raw)
			} else {
				require.Regexp(t, `^[A-Za-z0-9_.-]*[A-Za-z_-][A-Za-z0-9_-]*\.?$`, u.Hostname())
			}
		}
		_, err = fetcher.check(u.String())
		require.NoError(t, err, "what passed passes again")
	})
}

func parse(t *testing.T, s string) *url.URL {
	u, err := url.Parse(s)
	require.NoError(t, err)
	return u
}
