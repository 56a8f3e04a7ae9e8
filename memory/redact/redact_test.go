package redact_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

// TestRedact_Output compares exact results.
func TestRedact_Output(t *testing.T) {
	var r redact.Redactor
	for _, c := range []struct{ text, want string }{
		{"我电话13812345678，有事打", "我电话[手机号]，有事打"},
		{"(+86) 138 1234 5678", "[手机号]"},
		{"１３８－１２３４－５６７８", "[手机号]"},
		{"1\u200b3\u200b8\u200b1\u200b2\u200b3\u200b4\u200b5\u200b6\u200b7\u200b8", "[手机号]"},
		{"1️⃣3️⃣8️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣", "[手机号]"},
		{"𝟏𝟑𝟖𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖", "[手机号]"},
		{"幺三八 幺二三四 五六七八", "[手机号]"},
		{"一三八一二三四五六七八九", "一三八一二三四五六七八九"},
		{"13812345678 13912345678", "[手机号] [手机号]"},
		{"138 1234 5678 139 1234 5678", "[手机号] [手机号]"},
		{"1.13812345678 2.13912345678", "1.[手机号] 2.[手机号]"},
		{"wx13812345678", "wx[手机号]"},
		{"报价 150 2000 3000 5000", "报价 150 2000 3000 5000"},
		{"0.13812345678", "0.13812345678"},
		{"播放15300000000次", "播放15300000000次"},
		{"15600000000 播放", "15600000000 播放"},
		{"password = os.getenv(\"PASS\") password=your_password", "password = os.getenv(\"PASS\") password=your_password"},
		{"a13812345678b", "a13812345678b"},
		{"110101199003070011 和 110101199003070012", "[身份证] 和 110101199003070012"},
		{"11010119900307001X", "11010119900307001X"},
		{"身份证 11010119900307001X", "身份证 [身份证]"},
		{"单号4012888888881881", "单号4012888888881881"},
		{"4012888888881881", "[银行卡]"},
		{"卡号4012888888881882", "卡号[银行卡]"},
		{"8.8.8.8 和 47.98.12.34 都 ping 一下 192.168.1.3", "8.8.8.8 和 [IPv4] 都 ping 一下 192.168.1.3"},
		{"版本 47.98.12.34", "版本 47.98.12.34"},
		{"10:20:30 ::1 fe80::1 2001:db8::7", "10:20:30 ::1 fe80::1 [IPv6]"},
		{"QQ群123456789，QQ 123456789", "QQ群123456789，QQ [QQ号]"},
		{"[CQ:at,qq=123456789] qq=123456789", "[CQ:at,qq=123456789] qq=[QQ号]"},
		{"[CQ:image,file=a.jpg,url=https://a:bcdefg@x.cn/13812345678]", "[CQ:image,file=a.jpg,url=https://a:bcdefg@x.cn/13812345678]"},
		{"[手机号] [手机号#12] [手机号#] 密码：[密码]", "[手机号] [手机号#12] [手机号#] 密码：[密码]"},
		{"密码：\nhunter2\n好", "密码：\n[密码]\n好"},
		{"密码是多少", "密码是多少"},
		{"密码错误3次", "密码错误3次"},
		{"密码 8-16位", "密码 8-16位"},
		{"password: string", "password: string"},
		{"验证码10分钟内有效，验证码 123456", "验证码10分钟内有效，验证码 [验证码]"},
		{"https://root:p@ss@10.0.0.1:8080/x", "https://[网址账号]@10.0.0.1:8080/x"},
		{"看 mysql://root:pw12@db/x，别外传", "看 [连接串]，别外传"},
		{"redis://localhost:6379", "redis://localhost:6379"},
		{"git@github.com:a/b.git 和 li@qq.com", "git@github.com:a/b.git 和 [邮箱]"},
		{"li at gmail dot com, see you at home", "[邮箱], see you at home"},
		{"icon@2x.png react@18.2.0 @小明 a@b", "icon@2x.png react@18.2.0 @小明 a@b"},
		{"Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [令牌]"},
		{"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8"},
		{"api_key=9fceb02d0ae598e95dc970b74767f193", "api_key=[密钥]"},
		{"monkey=9fceb02d0ae598e95dc970b74767f193", "monkey=9fceb02d0ae598e95dc970b74767f193"},
		{"新RX6800和新A12345，牌号京A·12345", "新RX6800和[车牌]，牌号[车牌]"},
		{"我住在浙江省杭州市西湖区文三路12号3幢2单元501室，快来", "我住在[地址]，快来"},
		{"坐2号线，3号口出，5月8号，南京路见", "坐2号线，3号口出，5月8号，南京路见"},
		{"护照E12345678", "护照[护照]"},
		{"型号E12345678", "型号E12345678"},
		{"a\xff13812345678\xfe", "a\xff[手机号]\xfe"},
		{"[CQ:json,data={\"phone\":\"13812345678\"}]", "[CQ:json,data={\"phone\":\"[手机号]\"}]"},
		{"[手机号#13812345678] [手机号#123456]", "[手机号#[手机号]] [手机号#123456]"},
		{"微信（工作）：abcde_12，V信 abcde12，加我微信哈 abcde12，我個微信係abcde12", "微信（工作）：[微信号]，V信 [微信号]，加我微信哈 [微信号]，我個微信係[微信号]"},
		{"abcde_12 是我微信号，12345678 是我QQ，abcde_12 是微信群", "[微信号] 是我微信号，[QQ号] 是我QQ，abcde_12 是微信群"},
		{"QQ換成了12345678，QQ 123 456 789，我的Q是12345678", "QQ換成了[QQ号]，QQ [QQ号]，我的Q是[QQ号]"},
		{"個驗證碼係123456，取件码 19-6-6878，取件码 10-12 点", "個驗證碼係[验证码]，取件码 [验证码]，取件码 10-12 点"},
		{"Use code 123456 as your verification code. error code 123456", "Use code [验证码] as your verification code. error code 123456"},
		{"护照 C01X00T47，passport no: 123456789，护照 20241102 到期，护照2024-11-02到期", "护照 [护照]，passport no: [护照]，护照 20241102 到期，护照2024-11-02到期"},
		{"我張回鄉證係H12345678，台胞證號碼 12345678", "我張回鄉證係[通行证]，台胞證號碼 [通行证]"},
		{"个wifi密碼係hunter2，the password for the NAS is hunter2, sshpass -p hunter2 ssh", "个wifi密碼係[密码]，the password for the NAS is [密码], sshpass -p [密码] ssh"},
		{"[sudo] password for me:\nReading lists", "[sudo] password for me:\nReading lists"},
		{"<password>hunter2</password> <password>密码</password> verify_code=123456", "<password>[密码]</password> <password>密码</password> verify_code=[验证码]"},
		{"https://$USER:$PASS@a.cn/ https://user:password@a.cn/ postgres://$A:$B@$C/d", "https://$USER:$PASS@a.cn/ https://user:password@a.cn/ postgres://$A:$B@$C/d"},
		{"jdbc:mysql://h:3306/d?user=root&password=hunter2&ssl=1 x", "[连接串] x"},
		{"cs=\"Server=h;Database=d;User Id=sa;Password=hunter2;\" host=h user=a password=hunter2 dbname=d", "cs=\"[连接串]\" [连接串]"},
		{"Server=h;Trusted_Connection=True; jdbc:mysql://h/d?user=root", "Server=h;Trusted_Connection=True; jdbc:mysql://h/d?user=root"},
		{"server 47.98.12.34 ver 47.98.12.34 发帖人ip47.98.12.34 DNS 2606:4700:4700::1111", "server [IPv4] ver 47.98.12.34 发帖人ip[IPv4] DNS 2606:4700:4700::1111"},
		{"MAC:64bb.50f4.5402 MACcc:ac:b7:c6:2e:a2 MAC 64bb50f45402 commit 64bb50f45402", "MAC:[MAC] MAC[MAC] MAC [MAC] commit 64bb50f45402"},
		{"台北市信義區信義路五段88號，香港北角英皇道12號，寄到文三路3号门口，文三路3号门", "[地址]，[地址]，寄到[地址]门口，文三路3号门"},
		{"1312-609-0590 Kelvin13812345678 1500 200 3000", "[手机号] Kelvin[手机号] 1500 200 3000"},
		{"- name: API_TOKEN\n  value: \"9fceb02d0ae598e95dc970b74767f193\"", "- name: API_TOKEN\n  value: \"[密钥]\""},
		{"- name: title\n  value: 9fceb02d0ae598e95dc970b74767f193", "- name: title\n  value: 9fceb02d0ae598e95dc970b74767f193"},
		{"{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"} owner_qq: \"12345678\"", "{\"name\":\"DB_PASSWORD\",\"value\":\"[密码]\"} owner_qq: \"[QQ号]\""},
		{"WhatsApp: +1 (628) 108-8882，IPv6:2001:db8:6ff::8ba，网段 47.98.12.0/24", "WhatsApp: [电话]，IPv6:[IPv6]，网段 47.98.12.0/24"},
		{"【工单】4012888888881881，工单 4012888888881881", "【工单】[银行卡]，工单 4012888888881881"},
		{"电话：8765 4321，电话 20241102，传真021-56781234转801", "电话：[电话]，电话 20241102，传真[电话]"},
		{"| 姓名 | QQ |\n|--|--|\n| 小满 | 12345678 |\n好 | 12345678", "| 姓名 | QQ |\n|--|--|\n| 小满 | [QQ号] |\n好 | 12345678"},
		{"| 姓名 | QQ |\n\n| 小满 | 12345678 |", "| 姓名 | QQ |\n\n| 小满 | 12345678 |"},
		{`{"text":"| 姓名 | 密码 |\n| 小满 | hunter2 |"}`, `{"text":"| 姓名 | 密码 |\n| 小满 | [密码] |"}`},
		{"cat a | grep 账号\n| abc12345 | 12345678 |", "cat a | grep 账号\n| abc12345 | 12345678 |"},
		{"| 配置 | 值 |\n| AppSecret | 9fceb02d0ae598e95dc970b74767f193 |", "| 配置 | 值 |\n| AppSecret | [密钥] |"},
		{"成都市武侯区锦绣江南2栋1309室，公司地址锦绣江南16号楼1单元1738，今天下午3栋2单元501停水", "[地址]，公司地址[地址]，今天下午3栋2单元501停水"},
		{"文三路104号翠苑小区11-2-1244，文三路64号金色家园4-2-1564，文三路12号锦绣江南10-1-558", "[地址]，[地址]，[地址]"},
		{"微信是 abcdefg，加微信 windows 版，微信是 tencent 的，import wx from 'weixin-js-sdk'", "微信是 [微信号]，加微信 windows 版，微信是 tencent 的，import wx from 'weixin-js-sdk'"},
		{"QQ 123-456-78，QQ 9.9.10，型号 OZSI-Q941-1586", "QQ [QQ号]，QQ 9.9.10，型号 OZSI-Q941-1586"},
		{"凭3-8-4546取件码到驿站领，tel:+86152 1035 2904", "凭[验证码]取件码到驿站领，tel:[手机号]"},
		{"Set(\"Cookie\", \"sid=a; b=12345678\") {\"sessionid\": \"9991vtkkixigc61uakda83d90ytv7djt\"}", "Set(\"Cookie\", \"[Cookie]\") {\"sessionid\": \"[Cookie]\"}"},
		{"password: process.env.DB_PASS, password: abcd.12345", "password: process.env.DB_PASS, password: [密码]"},
		{"", ""},
	} {
		assert.Equal(t, c.want, r.Redact(c.text))
	}
}

// TestRedact_Variants: values as written by programs, in Markdown, in evading forms and by OCR.
func TestRedact_Variants(t *testing.T) {
	var r redact.Redactor
	for _, c := range []struct{ text, want string }{
		{`{"text":"第一行\n13812345678\n手机"}`, `{"text":"第一行\n[手机号]\n手机"}`},
		{`{"a":"{\"b\":\"1\\n13812345678\"}"}`, `{"a":"{\"b\":\"1\\n[手机号]\"}"}`},
		{`{"a":"\u5bc6\u7801\uff1ahunter2\n\u597d"}`, `{"a":"\u5bc6\u7801\uff1a[密码]\n\u597d"}`},
		{`{"a":"\ud835\udfcf3812345678"}`, `{"a":"[手机号]"}`},
		{`{"password":"hunter2\u0021"}`, `{"password":"[密码]"}`},
		{`C:\new\table\13812345678`, `C:\new\table\[手机号]`},
		{"https://a.cn/?u=li%40example.com&p=%E6%89%8B%E6%9C%BA13812345678", "https://a.cn/?u=[邮箱]&p=%E6%89%8B%E6%9C%BA[手机号]"},
		{"%2B86%2013812345678 涨了5%20块", "[手机号] 涨了5%20块"},
		{"li&#64;example.com &#x31;3812345678 138&nbsp;1234&nbsp;5678", "[邮箱] [手机号] [手机号]"},
		{"AT&T; R&D &#; &#x; &#99999999;1", "AT&T; R&D &#; &#x; &#99999999;1"},
		{"**138**1234**5678**, _13812345678_, `138`1234`5678`, 138\\-1234\\-5678", "**[手机号]**, _[手机号]_, `[手机号]`, [手机号]"},
		{"name,tel\n张三,13812345678.0\n李四,13812345678.00\n1.13812345678.0.1", "name,tel\n张三,[手机号].0\n李四,13812345678.00\n1.13812345678.0.1"},
		{"img_13812345678_1 _13812345678", "img_13812345678_1 _13812345678"},
		{"**密码**：hunter2\n| 密码 | hunter2 |\n**Password:** `hunter2`", "**密码**：[密码]\n| 密码 | [密码] |\n**Password:** `[密码]`"},
		{"| 密码 | 必填 |\n| password | string |", "| 密码 | 必填 |\n| password | string |"},
		{"①③⑧①②③④⑤⑥⑦⑧ ❶❸❽❶❷❸❹❺❻❼❽ ㈠㈢㈧㈠㈡㈢㈣㈤㈥㈦㈧ 🄂🄄🄉🄂🄃🄄🄅🄆🄇🄈🄉", "[手机号] [手机号] [手机号] [手机号]"},
		{"壹叁捌壹貳參肆伍陸柒捌 幺三八洞洞两三四五六拐", "[手机号] [手机号]"},
		{"1\u05913812345678 1\u20d03812345678 1\u200f3\u202e812345678", "[手机号] [手机号] [手机号]"},
		{"l38l234567O 1381234567o o38l2345678 138l2345678a", "[手机号] [手机号] o38l2345678 138l2345678a"},
		{"(138)1234-5678 (138) 1234 5678", "[手机号] [手机号]"},
		{"1101011990030700Ⅹ7 а@qq.com passwоrd=hunter2", "1101011990030700Ⅹ7 [邮箱] passwоrd=[密码]"},
		{"13812\n345678 138<b>1234</b>5678 MTM4MTIzNDU2Nzg=", "13812\n345678 138<b>1234</b>5678 MTM4MTIzNDU2Nzg="}, // as documented
	} {
		assert.Equal(t, c.want, r.Redact(c.text))
	}
}

func TestOptions_Words(t *testing.T) {
	r := full(t)
	for _, c := range []struct{ text, want string }{
		{"林小满在炉边科技上班", "[隐私]在[隐私]上班"},
		{"林 小·满", "[隐私]"},
		{"林\u200b小\ufeff满", "[隐私]"},
		{"林　小　满", "[隐私]"},
		{"EMBER ltd, ｅｍｂｅｒ ｌｔｄ, e m b e r l t d", "[隐私], [隐私], [隐私]"},
		{"Mia mia, Miami, 叫Mia来", "[隐私] [隐私], Miami, 叫[隐私]来"},
		{"柚，柚子，阿柚 柚", "[隐私]，柚子，阿柚 [隐私]"},
		{"zhangsan1990", "[隐私]1990"},
		{"林\n小满", "林\n小满"},
		{"工号HX-1234", "工号[工号]"},
		{"192.168.1.3", "[IPv4]"},
	} {
		assert.Equal(t, c.want, r.Redact(c.text))
	}
	for _, bad := range []string{"", " ", "·", "。", strings.Repeat("长", 65)} {
		_, err := redact.New(redact.Options{Words: []string{"好词", bad}})
		if assert.Error(t, err, "%q", bad) && bad != "" {
			assert.NotContains(t, err.Error(), "长")
		}
	}
	_, err := redact.New(redact.Options{Matchers: []redact.Matcher{nil}})
	assert.Error(t, err)
}

func TestOptions_SkipKinds(t *testing.T) {
	r, err := redact.New(redact.Options{SkipKinds: []redact.Kind{redact.Mobile, redact.Email}})
	require.NoError(t, err)
	assert.Equal(t, "13812345678 a@qq.com 密码：[密码]", r.Redact("13812345678 a@qq.com 密码：abc123"))
}

// TestRedactor_Concurrent uses a Redactor concurrently.
func TestRedactor_Concurrent(t *testing.T) {
	r := full(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				assert.Equal(t, "[手机号] [隐私]", r.Redact("13812345678 林小满"))
			}
		})
	}
	all.Wait()
}

func TestRedactContext_EndedContext(t *testing.T) {
	var r redact.Redactor
	out, err := r.RedactContext(t.Context(), "13812345678")
	assert.NoError(t, err)
	assert.Equal(t, "[手机号]", out)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err = r.RedactContext(ctx, "13812345678")
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, out)
}

// TestRedact_NothingFound: a text without findings costs no allocation and is returned unchanged.
func TestRedact_NothingFound(t *testing.T) {
	var r redact.Redactor
	text := "湖人昨晚 108-102 赢了，https://example.com/a?b=1 看回放，v1.2.3 的 bug 修了没"
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if r.Redact(text) != text {
			t.Fatal("changed")
		}
	}))
}
