# Prints the libraries that are here, `name version` a line.
most = 400
puts "Ruby #{RUBY_VERSION}"
require "rbconfig"
library = RbConfig::CONFIG["rubylibdir"]
names = (Dir.exist?(library) ? Dir.children(library) : []).filter_map { |n| n.delete_suffix(".rb") if n.end_with?(".rb") }.sort
puts "(standard library) #{names.join(' ')}"
require "rubygems"
specs = Gem::Specification.sort_by { |s| [s.name.downcase, s.version] }
specs.first(most).each { |s| puts "#{s.name} #{s.version}" }
puts "(#{specs.size - most} more)" if specs.size > most
