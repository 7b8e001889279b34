# SPDX-License-Identifier: Apache-2.0
# Configurations of servers that use a token's key, for the scripts that start them. To be sourced from the project's root,
# after common.sh. Apache's processes are those of the user $service.

# apache_configuration PORT CERTIFICATE KEY [DIRECTIVE]: writes apache/apache.conf, with a directive for the server, and those
# of its host from standard input.
apache_configuration() {
    local modules=/usr/lib/apache2/modules
    mkdir apache
    echo served > apache/index.html
    cat > apache/apache.conf << END
ServerRoot $work/apache
ServerName localhost
Listen 127.0.0.1:$1
PidFile $work/apache/pid
ErrorLog $work/apache.log
Mutex file:$work/apache default
DefaultRuntimeDir $work/apache
User $service
Group $service
LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
LoadModule ssl_module $modules/mod_ssl.so
StartServers 2
DocumentRoot $work/apache
${4:-}
SSLSessionCache none
<VirtualHost 127.0.0.1:$1>
    SSLEngine on
    SSLCertificateFile $2
    SSLCertificateKeyFile "$3"
$(cat)
</VirtualHost>
END
}

# eap_server_configuration CERTIFICATE KEY: writes eap/hostapd.conf, of a RADIUS server at port 35978 for EAP-TLS.
eap_server_configuration() {
    mkdir eap
    cat > eap/hostapd.conf << END
driver=none
radius_server_clients=$work/eap/clients
radius_server_auth_port=35978
eap_server=1
eap_user_file=$work/eap/users
ca_cert=$work/authority.pem
server_cert=$1
private_key=$2
END
    echo '127.0.0.1/32 secret' > eap/clients
    echo '* TLS' > eap/users
}
