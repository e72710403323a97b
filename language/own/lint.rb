# Checks Ruby files without running them: see lint.py for what is printed.
require "open3"

RUBY = File.readlink("/proc/self/exe")

found = []
files = ARGV.select { |f| f.end_with?(".rb", ".rake", ".gemspec") && File.file?(f) }
if files.empty?
  warn "no file of Ruby is among those to check"
  exit 3
end
files.each do |file|
  text, status = Open3.capture2e(RUBY, "--disable=gems", "-W2", "-c", "--", file)
  before = found.size
  text.scrub("?").each_line do |line|
    m = line.match(/\A(?:[^\s:]*ruby[^\s:]*: )?#{Regexp.escape(file)}:(\d+): (.+)/) or next
    found << "#{file}:#{m[1]}:1: #{m[2].strip}"
  end
  found << "#{file}:1:1: it does not parse" if !status.success? && found.size == before
end
puts found
exit found.empty? ? 0 : 1
